// deno-lint-ignore-file no-console -- prints its port for the parent process
/**
 * A server for the test of exhausted descriptors. Prints its port, and stops when its standard input closes.
 *
 * @module
 */
import { serveHttp } from "../../src/http1/mod.ts";
import { createLogger } from "../../src/telemetry/mod.ts";
import { TextResponse } from "../../src/web/mod.ts";

const server = serveHttp({
  hostname: "127.0.0.1",
  port: 0,
  handler: () => new TextResponse("hello"),
  maxConnections: 1000,
  log: createLogger("info"),
});
console.log(server.port);
for await (const _ of Deno.stdin.readable);
await server.shutdown();
