import { Engine, type EngineOptions } from "../../src/engine/mod.ts";
import { engineOptions } from "./engine_options.ts";
import { writeNewDatabase } from "./new_database.ts";
import { plainHandler } from "./plain_handler.ts";
import { type RecordedCall, recording } from "./recorder.ts";

/** Options of {@linkcode serveEngine}. */
export interface ServeEngineOptions {
  /** 0: a free port. @default {0} */
  readonly port?: number;
  readonly engine?: Partial<EngineOptions>;
  /** Receives each request. */
  readonly calls?: RecordedCall[];
}

/** Serves a real engine over HTTP, with its own data directory. */
export async function serveEngine(
  { port = 0, engine: options = {}, calls = [] }: ServeEngineOptions = {},
): Promise<{ url: string } & AsyncDisposable> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  writeNewDatabase(dataDir);
  const engine = await Engine.open({ ...engineOptions(dataDir), ...options });
  const handler = recording(calls, (request) => engine.fetch(request));
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, plainHandler(handler));
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await engine.close();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}
