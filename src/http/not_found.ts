import { encodedJsonResponse } from "../web/mod.ts";
import { errorResponse } from "./error_response.ts";

/** Paths at which clients look for OAuth, with those that MCP 2025-03-26 names for servers without metadata. */
const OAUTH_PATH = /^\/(?:\.well-known\/(?:oauth-|openid-configuration)|(?:register|authorize|token)$)/;

/**
 * Error of OAuth (RFC 6749 §5.2), since clients that get another body report only that. This code makes none of them
 * drop what it has stored.
 */
const NO_OAUTH = JSON.stringify({
  error: "invalid_request",
  error_description:
    "This server has no OAuth. If it requires a key, configure the client to send the header " +
    '"Authorization: Bearer KEY" with the key of the server (KB_MCP_API_KEY): kb-mcp connect --help shows how',
});

/** Returns the response to a path that the server does not have. */
export function notFound(path: string): Response {
  return OAUTH_PATH.test(path)
    ? encodedJsonResponse(NO_OAUTH, { status: 404 })
    : errorResponse(404, "Not found: the MCP endpoint is POST /mcp");
}
