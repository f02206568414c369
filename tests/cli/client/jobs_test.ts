import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { job } from "../../../src/cli/client/jobs.ts";
import { EngineClient } from "../../../src/client/mod.ts";
import type { EngineOptions } from "../../../src/engine/mod.ts";
import { serveEngine } from "../../support/serve_engine.ts";
import { runCommand } from "../run_command.ts";
import { ClientFixture } from "./client_fixture.ts";

/** Serves an engine for commands. */
async function openEngine(engine: Partial<EngineOptions> = {}) {
  const server = await serveEngine({ engine });
  const client = new EngineClient({ baseUrl: server.url });
  return {
    client,
    run: (...args: string[]) => runCommand(["jobs", ...args, "--engine-url", server.url]),
    /** Queues a file and returns the id of its job. */
    addFile: async (text: string, filename = "kettle.csv") => {
      const open = () => Promise.resolve(new Blob([text]).stream());
      return String(
        (await client.addFile({ filename, size: text.length, open, tags: [] })).job_id,
      );
    },
    /** Adds a note, and returns its job when it has ended. */
    addNote: async (text: string, fields: { source_path?: string; tags: string[] }) => {
      const { job_id } = await client.addNote({ text, ...fields });
      return await client.waitForJob(job_id, { timeoutMs: 30_000 });
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

Deno.test("jobs cancel and jobs retry change a job", async () => {
  // Without a process for files, they stay in the queue.
  await using engine = await openEngine({ extractConcurrency: 0 });
  const id = await engine.addFile("The kettle is red.");
  assertEquals(JSON.parse((await engine.run(id)).stdout).status, "queued");
  const cancelled = await engine.run("cancel", id, "--no-json");
  assertEquals([cancelled.code, cancelled.stdout], [0, `Job ${id} is cancelled.\n`]);
  assertEquals((await engine.client.job(id)).status, "cancelled");
  const again = await engine.run("cancel", id);
  assertEquals([again.code, again.stdout], [1, ""]);
  assertMatch(again.stderr, /Job 1 must not have ended to be cancelled, got cancelled/);

  const retried = await engine.run("retry", id, "--no-json");
  assertEquals([retried.code, retried.stdout], [0, `Job ${id} is queued again.\n`]);
  assertEquals((await engine.client.job(id)).status, "queued");
  const queued = await engine.run("retry", id);
  assertMatch(queued.stderr, /Job 1 must be failed or cancelled to be retried, got queued/);
  const json = JSON.parse((await engine.run("cancel", id)).stdout);
  assertEquals([String(json.job_id), json.status], [id, "cancelled"]);
  assertEquals(JSON.parse((await engine.run("retry", id)).stdout).status, "queued");

  for (const action of ["cancel", "retry"]) {
    const unknown = await engine.run(action, "99");
    assertEquals([unknown.code, unknown.stdout], [1, ""]);
    assertStringIncludes(unknown.stderr, "The engine has no job 99.");
  }
});

Deno.test("jobs retry --all-failed retries the failed jobs whose content is kept", async () => {
  await using engine = await openEngine();
  const none = await engine.run("retry", "--all-failed", "--no-json");
  assertEquals([none.code, none.stdout], [0, "0 of 0 failed jobs are queued again.\n"]);
  const memory = await engine.addNote("The kettle is red.", {
    source_path: "kettle.md",
    tags: ["collection:memory"],
  });
  const conflict = await engine.addNote("The kettle is blue.", {
    source_path: "kettle.md",
    tags: ["collection:documents"],
  });
  assertEquals(conflict.error_code, "conflict");
  await engine.client.deleteDocument(memory.document_id!);
  const all = JSON.parse((await engine.run("retry", "--all-failed")).stdout);
  assertEquals(all, { retried: [conflict.job_id], not_retried: [] });
  const stored = await engine.client.waitForJob(conflict.job_id, { timeoutMs: 30_000 });
  assertEquals([stored.status, stored.outcome], ["done", "created"]);

  // The engine does not keep files that it cannot read.
  const picture = await engine.addFile("\x7fELF\x00\x01\x02", "kettle.o");
  assertEquals(
    (await engine.client.waitForJob(picture, { timeoutMs: 30_000 })).error_code,
    "unsupported_type",
  );
  const dropped = await engine.run("retry", "--all-failed");
  const { retried, not_retried } = JSON.parse(dropped.stdout);
  assertEquals([dropped.code, retried, String(not_retried[0].job_id)], [2, [], picture]);
  assertStringIncludes(not_retried[0].error, "no longer kept for a retry");
  const text = await engine.run("retry", "--all-failed", "--no-json");
  assertEquals([text.code, text.stdout], [
    2,
    "0 of 1 failed jobs are queued again.\nAdd the files of the others again: their content is no longer kept.\n",
  ]);
});

Deno.test("jobs retry needs either an id or --all-failed", async () => {
  await using engine = await openEngine();
  for (const args of [[], ["7", "--all-failed"]]) {
    const { code, stderr } = await engine.run("retry", ...args);
    assertEquals(code, 64);
    assertStringIncludes(stderr, "give either the id of a job or --all-failed");
  }
  assertEquals((await engine.run("cancel")).code, 64);
});

Deno.test("jobs cancel and retry need an engine with contract 3.5", async () => {
  const paths: string[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    paths.push(`${request.method} ${new URL(request.url).pathname}`);
    return Response.json({ version: "3.4.0" });
  });
  for (const [action, feature] of [["cancel", "Cancelling"], ["retry", "Retrying"]] as const) {
    const url = `http://127.0.0.1:${server.addr.port}`;
    const { code, stdout, stderr } = await runCommand(["jobs", action, "7"], { KB_ENGINE_URL: url });
    assertEquals([code, stdout], [69, ""]);
    assertMatch(stderr, new RegExp(`${feature} a job .*3\\.5\\.0`));
  }
  assertEquals(paths.filter((path) => path.startsWith("POST")), []);
});

Deno.test("the status of a job that has ended is not its last step", async () => {
  await using engine = await ClientFixture.open();
  await engine.add("The kettle is red.");
  for (
    const [status, stage, shown] of [
      ["done", "finished", "done"],
      ["processing", "indexing", "indexing: 0 of 1 vectors"],
    ] as const
  ) {
    const client = engine.clientWith(async (request, send) => {
      const stored = await (await send(request)).json();
      return Response.json({ ...stored, status, stage, work: { unit: "vectors", done: 0, total: 1 } });
    });
    const { text } = await engine.terminal((context) => job("1", {}, context), client);
    assertMatch(text.split("\n")[1]!, new RegExp(`^  1  ${shown}  `));
  }
});
