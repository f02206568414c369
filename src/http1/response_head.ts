import { TextResponse } from "../web/mod.ts";

/** Reason phrases of the statuses that handlers use (RFC 9110 §15). Clients ignore them. */
const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  206: "Partial Content",
  304: "Not Modified",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  411: "Length Required",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
  507: "Insufficient Storage",
};

/** Fields that the server determines. */
const OWN_FIELDS = new Set([
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/** How the end of a response body is marked: its length in bytes, chunks, or not at all. */
export type ResponseFraming = number | "chunked" | "none";

/** Options of {@linkcode responseHead}. */
export interface ResponseHeadOptions {
  readonly framing: ResponseFraming;
  /** Whether the connection ends with this response. */
  readonly close: boolean;
}

/**
 * Returns the head of a response. `Headers` or `TextResponse` has validated the fields: they contain no line ends.
 *
 * Characters are bytes: the text must be sent as Latin-1.
 */
export function responseHead(response: Response, { framing, close }: ResponseHeadOptions): string {
  const { status } = response;
  let head = `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\n`;
  for (const [name, value] of response instanceof TextResponse ? response.fields : response.headers) {
    if (!OWN_FIELDS.has(name)) head += `${name}: ${value}\r\n`;
  }
  if (framing === "chunked") head += "transfer-encoding: chunked\r\n";
  else if (framing !== "none") head += `content-length: ${framing}\r\n`;
  if (close) head += "connection: close\r\n";
  return `${head}date: ${currentDate()}\r\n\r\n`;
}

let dateSecond = 0;
let date = "";

/** Returns the value of `Date` (RFC 9110 §6.6.1), formatted once per second. */
function currentDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(second * 1000).toUTCString();
  }
  return date;
}
