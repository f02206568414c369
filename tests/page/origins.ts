import { assert, assertEquals } from "@std/assert";
import type { Section } from "./section.ts";

/** The addresses at which the page can use its server, and other pages that cannot. */
export const origins: readonly Section[] = [
  {
    name: "origins of this machine",
    server: {
      env: { KB_MCP_ALLOWED_ORIGINS: "https://app.example.com", KB_MCP_ALLOWED_HOSTS: "kb.example" },
    },
    async run({ tab, url, check }) {
      const { port } = new URL(url);
      for (const host of ["127.0.0.1", "localhost", "kb.example"]) {
        await check(`the page works at http://${host}`, async () => {
          await tab.open(`http://${host}:${port}/#/status`);
          await tab.sees("Unfinished uploads");
        });
      }
      await check("a page of another port cannot call the server", async () => {
        const other = Deno.serve(
          { hostname: "127.0.0.1", port: 0, onListen() {} },
          () =>
            new Response("<!DOCTYPE html><link rel=icon href=data:,><p>Other", {
              headers: { "content-type": "text/html" },
            }),
        );
        try {
          await tab.open(`http://127.0.0.1:${other.addr.port}/`);
          const result = await tab.evaluate(
            `fetch("${url}/mcp", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })
              .then(() => "read", () => "refused")`,
          );
          assertEquals(result, "refused");
          tab.problems.length = 0;
        } finally {
          await other.shutdown();
        }
      });
    },
  },
  {
    name: "origins of a network",
    server: { env: { KB_MCP_HOST: "0.0.0.0" } },
    async run({ tab, url, check }) {
      const { port } = new URL(url);
      await check("the page works at the address of the machine", async () => {
        await tab.open(`http://127.0.0.1:${port}/#/status`);
        await tab.sees("Unfinished uploads");
        // Chromium says that it ignores a header without TLS.
        tab.problems.length = 0;
      });
      await check(
        "without a key, a name that may be rebound gets no data, and the page says what to set",
        async () => {
          tab.expectedStatus.add(403);
          await tab.open(`http://evil.example:${port}/#/status`);
          await tab.sees("KB_MCP_ALLOWED_ORIGINS");
          const problems = tab.problems.filter((problem) => !problem.includes("Cross-Origin-Opener-Policy"));
          assert(problems.length === 0, problems.join("\n"));
          tab.problems.length = 0;
        },
      );
    },
  },
];
