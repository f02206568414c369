import { ERROR_STATUS, type ErrorCode } from "../contract/mod.ts";
import type { Engine } from "../engine/mod.ts";
import { hostPolicy } from "../http/mod.ts";
import { serveHttp } from "../http1/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { VERSION } from "../version.ts";
import { bearerTokenCheck, type HttpRequest, jsonResponse } from "../web/mod.ts";
import { Challenge, PROOF_PATH, proofOf, removeLocalFile, writeLocalFile } from "./local_file.ts";

/** Maximum number of open connections: a command holds few, and memory for them is reserved for MCP clients. */
const MAX_CONNECTIONS = 64;

/** Options of {@linkcode openLocalEndpoint}. */
export interface LocalEndpointOptions {
  readonly engine: Pick<Engine, "fetch">;
  /** Data directory of the engine, which gets the file with the address. */
  readonly dataDir: string;
  /** Bearer token that the engine accepts from local callers. */
  readonly token: string;
  /** MCP endpoint of this server, if it has one, for the file with the address. */
  readonly mcpUrl?: string;
  readonly log: Logger;
}

/** A listening endpoint. Disposing of it is the same as {@linkcode LocalEndpoint.shutdown}. */
export interface LocalEndpoint extends AsyncDisposable {
  /** Removes the file, stops accepting requests, and waits up to 5 s for running ones. */
  shutdown(): Promise<void>;
}

/**
 * Serves the engine's API to the programs of this user: on a free port of 127.0.0.1, with a random token in a file
 * that only the user can read (`local.json` in the data directory).
 *
 * Threats: other users of the machine can connect, so every request needs the token, also if the engine has no
 * `KB_API_KEY`. Web pages can connect by DNS rebinding, so requests with another `Host` or with an `Origin` are
 * rejected.
 *
 * @returns Undefined if the address or the file cannot be used, which is logged: the server works without it.
 */
export function openLocalEndpoint(options: LocalEndpointOptions): LocalEndpoint | undefined {
  const { engine, dataDir, token, mcpUrl, log } = options;
  let server: ReturnType<typeof serveHttp> | undefined;
  try {
    const authorize = createCheck(token);
    server = serveHttp({
      hostname: "127.0.0.1",
      port: 0,
      handler: (request, connection) => {
        const response = authorize(request);
        return response ? Promise.resolve(response) : engine.fetch(request, connection);
      },
      errorResponse: (status, message) => {
        const code = status === 500 ? "internal" : status === 408 ? "timeout" : "invalid";
        return jsonResponse({ error: { code, message } }, { status });
      },
      maxConnections: MAX_CONNECTIONS,
      log,
    });
    const url = `http://127.0.0.1:${server.port}`;
    writeLocalFile(dataDir, { url, mcp: mcpUrl, token, pid: Deno.pid, version: VERSION });
  } catch (error) {
    log.warn("commands such as `kb-mcp search` cannot reach this server", { error });
    server?.shutdown();
    return undefined;
  }
  const running = server;
  let stopped: Promise<void> | undefined;
  const shutdown = () =>
    stopped ??= (() => {
      removeLocalFile(dataDir, token);
      return running.shutdown();
    })();
  return { shutdown, [Symbol.asyncDispose]: shutdown };
}

/** Returns a function that responds to requests that the engine must not see. */
function createCheck(token: string): (request: HttpRequest) => Response | undefined {
  const isAllowedHost = hostPolicy(["127.0.0.1", "localhost"]);
  const checkToken = bearerTokenCheck([token]);
  return (request) => {
    const { headers } = request;
    if (!isAllowedHost(headers.get("host"))) {
      return errorResponse("host_not_allowed", "The local endpoint serves 127.0.0.1 only");
    }
    if (headers.has("origin")) {
      return errorResponse("host_not_allowed", "The engine does not serve web pages");
    }
    const proof = proofResponse(request, token);
    if (proof) return proof;
    return checkToken(headers.get("authorization")).status === "valid"
      ? undefined
      : errorResponse("unauthorized", "The local endpoint requires the token of local.json");
  };
}

function proofResponse({ method, url }: HttpRequest, token: string): Response | undefined {
  const target = URL.parse(url);
  if (method !== "GET" || target?.pathname !== PROOF_PATH) return undefined;
  const challenge = Challenge.safeParse(target.searchParams.get("challenge"));
  return challenge.success
    ? jsonResponse({ proof: proofOf(token, challenge.data) }, { status: 200 })
    : errorResponse("invalid", "challenge must be 256 bits in base64url");
}

function errorResponse(code: ErrorCode, message: string): Response {
  return jsonResponse({ error: { code, message } }, { status: ERROR_STATUS[code] });
}
