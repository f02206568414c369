/**
 * The program that tests/bench/startup.ts compares with: an HTTP server that does nothing else.
 *
 * @module
 */
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  () => Response.json({ status: "ready" }),
);
Deno.stdout.writeSync(new TextEncoder().encode(`ready at http://127.0.0.1:${server.addr.port}\n`));
