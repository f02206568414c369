import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { connectAgent } from "../support/mcp_client.ts";
import { startTestServer } from "../support/server.ts";

/** Records the threads that are started, by name. */
function recordThreads(): { readonly threads: Map<string, Worker> } & Disposable {
  const { Worker: Original } = globalThis;
  const threads = new Map<string, Worker>();
  globalThis.Worker = class extends Original {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      threads.set(options?.name ?? "", this);
    }
  };
  return { threads, [Symbol.dispose]: () => globalThis.Worker = Original };
}

Deno.test("after the writer thread has ended, probes request a restart and searches continue", async () => {
  using recorded = recordThreads();
  await using server = await startTestServer({ hasOwnThreads: true });
  await using agent = await connectAgent(server.url);
  await agent.call("kb_addnote", { text: "A note about herons", collection: "memory" });
  const probe = async (path: string) => {
    const response = await fetch(`${server.url}${path}`);
    return [response.status, (await response.json()).status];
  };
  assertEquals([await probe("/livez"), await probe("/readyz")], [[200, "ok"], [200, "ready"]]);
  const writer = recorded.threads.get("kb-writer")!;
  const ended = new Promise((resolve) => writer.addEventListener("error", resolve));
  // No message of the protocol: an uncaught error ends the thread.
  writer.postMessage(null);
  await ended;
  const failed = [503, "writer_failed"];
  assertEquals([await probe("/livez"), await probe("/healthz")], [failed, failed]);
  const { isError, text } = await agent.call("kb_addnote", { text: "Another note", collection: "memory" });
  assert(isError);
  assertStringIncludes(text, "Nothing was changed, and searching still works.");
  const { structured } = await agent.call("kb_search", { query: "herons" });
  assertEquals((structured["results"] as unknown[]).length, 1);
  const { structured: { engine } } = await agent.call("kb_status");
  assertEquals((engine as { storage: { state: string } }).storage.state, "writer_failed");
});
