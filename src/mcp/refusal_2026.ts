import {
  classifyInboundRequest,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import type { Answer } from "./answer.ts";
import { errorMessage, isObject, type RpcRequest } from "./json_rpc.ts";
import { headerProblem } from "./standard_headers.ts";
import { unsupportedVersion } from "./unsupported_version.ts";
import { MODERN_VERSION } from "./versions.ts";

/** `HeaderMismatch` of MCP 2026-07-28. */
const HEADER_MISMATCH = -32020;

/**
 * Why a request that claims this era is not served, if so. What is plainly right is seen at once; what is not, the
 * SDK's classifier judges, whose order of checks clients rely on.
 */
export function refusalOf(
  request: RpcRequest,
  version: string | null,
  headers: Pick<Headers, "get">,
): Answer | undefined {
  const { id, params } = request;
  const method = headers.get("mcp-method");
  const meta = params?.["_meta"];
  const isPlain = version === MODERN_VERSION && isObject(meta) && isPlainEnvelope(meta) &&
    method === request.method;
  if (!isPlain) {
    const verdict = classifyInboundRequest({
      httpMethod: "POST",
      ...given("protocolVersionHeader", version),
      ...given("mcpMethodHeader", method),
      body: request,
    });
    if (verdict.kind === "reject") {
      // It repeats what was sent, at any length.
      const message = verdict.message.length > 500
        ? `${verdict.message.slice(0, 500).toWellFormed()}…`
        : verdict.message;
      const data = JSON.stringify(verdict.data ?? null).length > 1000 ? undefined : verdict.data;
      return { status: 400, body: errorMessage(verdict.code, message, id, data) };
    }
    const requested = verdict.kind === "modern" ? verdict.classification.revision : verdict.requestedVersion;
    if (requested !== MODERN_VERSION) return unsupportedVersion(requested ?? "none", id);
  }
  const problem = headerProblem(request, { version, method, name: () => headers.get("mcp-name") });
  return problem === undefined
    ? undefined
    : { status: 400, body: errorMessage(HEADER_MISMATCH, `Header mismatch: ${problem}`, id) };
}

/** Whether what a request says of its client is all there, and of the shape that it should have. */
function isPlainEnvelope(meta: Record<string, unknown>): boolean {
  const client = meta[CLIENT_INFO_META_KEY];
  return meta[PROTOCOL_VERSION_META_KEY] === MODERN_VERSION && isObject(meta[CLIENT_CAPABILITIES_META_KEY]) &&
    meta[LOG_LEVEL_META_KEY] === undefined && (client === undefined ||
      (isObject(client) && typeof client["name"] === "string" && typeof client["version"] === "string"));
}

function given<Name extends string>(name: Name, value: string | null): { [K in Name]?: string } {
  return value === null ? {} : { [name]: value } as { [K in Name]: string };
}
