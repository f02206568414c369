import { acceptsPage, servePage } from "../page/mod.ts";
import { TextResponse } from "../web/mod.ts";
import { errorResponse } from "./error_response.ts";
import type { Handler } from "./middleware/compose.ts";

/** Options of {@linkcode homePage}. */
export interface HomePageOptions {
  readonly hasKey: boolean;
  /** Whether browsers get the web page. */
  readonly hasPage: boolean;
}

/**
 * Returns the handler of `GET /`, for people who open the server's address: in a browser the web page, with curl what it
 * is, and where MCP is. It names no version and no data, since it needs no token.
 */
export function homePage({ hasKey, hasPage }: HomePageOptions): Handler {
  const text = `kb-mcp, a knowledge base for AI agents.

The MCP endpoint (Streamable HTTP) is /mcp at this address${hasKey ? ", with the key as bearer token" : ""}.
To connect a client: kb-mcp connect --help
${
    hasPage
      ? "In a browser, this address is a page to search and edit the knowledge base.\n"
      : ""
  }Health: /healthz and /readyz
`;
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(hasPage ? { vary: "accept" } : {}),
  };
  return async (request) => {
    const page = hasPage && acceptsPage(request.headers.get("accept")) ? await servePage(request) : undefined;
    return page ?? new TextResponse(text, { headers });
  };
}

/** Path of the files of the web page. */
export const PAGE_FILES = "/page/";

/** Serves `GET /page/NAME`: scripts and styles of the web page. */
export const pageFile: Handler = async (request, { path }) =>
  await servePage(request, { file: path.slice(PAGE_FILES.length) }) ??
    errorResponse(404, "Not found: the web page has no such file");
