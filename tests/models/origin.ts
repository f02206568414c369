import { createHash } from "node:crypto";
import type { CatalogueModel } from "../../src/models/mod.ts";
import { type Checkpoint, tinyCheckpoint } from "../support/tiny_checkpoint.ts";

/** Responds to a request for a file; undefined: with its content. */
export type Respond = (path: string, request: Request) => Response | undefined | Promise<Response>;

/** An HTTP server in place of the model hub, with one tiny model. */
export interface Origin extends AsyncDisposable {
  readonly url: string;
  readonly files: Checkpoint;
  /** The model under its own name, `tiny`. */
  readonly catalogue: readonly [CatalogueModel];
  /** Paths of the requests so far. */
  readonly requests: readonly string[];
}

/** Starts the server. */
export function startOrigin(respond: Respond = () => undefined): Origin {
  const files = tinyCheckpoint();
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const path = new URL(request.url).pathname.slice(1);
    requests.push(path);
    return await respond(path, request) ??
      new Response(files[path] ?? null, { status: files[path] ? 200 : 404 });
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  const model: CatalogueModel = {
    name: "tiny",
    license: "CC0-1.0",
    languages: "none",
    origin: "a test",
    revision: "1",
    pooling: "mean",
    prefixes: { query: "", document: "" },
    maxTokens: 32,
    bytes: 1,
    url,
    files: Object.entries(files).map(([path, bytes]) => ({
      path,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      maxBytes: bytes.length,
    })),
  };
  return { url, files, catalogue: [model], requests, [Symbol.asyncDispose]: () => server.shutdown() };
}
