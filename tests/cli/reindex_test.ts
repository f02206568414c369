import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { progressLine } from "../../src/cli/reindex.ts";
import {
  addNotes,
  countsOf,
  embedded,
  embeddingOptions,
  notes,
  startWriter,
  tempDir,
} from "../engine/sqlite/backfill/support.ts";
import { runProgram } from "../support/program.ts";
import { TestEmbedder } from "../support/test_embedder.ts";

/** Environment of a program that embeds with this model. */
function environment(dataDir: string, server: TestEmbedder, model = "test-model"): Record<string, string> {
  return {
    KB_DATA_DIR: dataDir,
    KB_EMBEDDINGS_URL: server.url,
    KB_EMBEDDINGS_MODEL: model,
    KB_EMBEDDINGS_BATCH: "4",
  };
}

/** A data directory with notes without vectors. */
async function dirWithNotes(count: number) {
  await using undo = new AsyncDisposableStack();
  const dir = undo.use(await tempDir());
  await using writer = await startWriter(dir.path, undefined);
  await addNotes(writer, notes(count));
  const parts = undo.move();
  return { path: dir.path, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

Deno.test("reindex embeds every chunk, prints its progress and exits with 0", async () => {
  await using dir = await dirWithNotes(20);
  await using server = TestEmbedder.start();
  const { code, stdout, stderr } = await runProgram(["reindex"], environment(dir.path, server));
  assertEquals([code, stderr], [0, ""]);
  assertMatch(stdout, /^embedded 0 of 20 chunks \(0 %\)\n/);
  assertStringIncludes(stdout, "Done: 20 of 20 chunks have vectors of test-model (64 dimensions).\n");
});

Deno.test("an engine with another model prints the reindex command, which works while the old engine runs; then the new engine starts", async () => {
  await using dir = await tempDir();
  await using a = TestEmbedder.start({ model: "A" });
  await using b = TestEmbedder.start({ model: "B" });
  await using running = await startWriter(dir.path, embeddingOptions(a.url, { model: "A" }));
  await addNotes(running, notes(10));
  await embedded(dir.path, 1);
  await running.close();
  const withB = environment(dir.path, b, "B");
  const rejected = await runProgram(["engine"], withB);
  assertEquals([rejected.code, rejected.stdout], [64, ""]);
  assertStringIncludes(rejected.stderr, `KB_EMBEDDINGS_URL=${b.url} KB_EMBEDDINGS_MODEL=B kb-mcp reindex`);
  await using again = await startWriter(dir.path, embeddingOptions(a.url, { model: "A" }));
  const { code, stdout } = await runProgram(["reindex"], withB);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "an engine with other settings keeps its own vectors");
  await again.close();
  await using next = await startWriter(dir.path, embeddingOptions(b.url, { model: "B" }));
  assertEquals([next.embeddingSet, countsOf(dir.path, 2).embedded], [2, 10]);
});

Deno.test("Ctrl-C stops reindex cleanly, and the next run continues", async () => {
  for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
    await using dir = await dirWithNotes(40);
    await using server = TestEmbedder.start();
    const reached = Promise.withResolvers<void>();
    server.options.respond = () => {
      if (server.requests.length < 5) return undefined;
      reached.resolve();
      return server.hang();
    };
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", new URL("../../main.ts", import.meta.url).pathname, "reindex"],
      env: environment(dir.path, server),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    await reached.promise;
    child.kill(signal);
    const { code, stdout } = await child.output();
    assertEquals(code, status);
    const [, done] = /Stopped: (\d+) of 40 chunks are embedded\. Run kb-mcp reindex again/.exec(
      new TextDecoder().decode(stdout),
    ) ?? [];
    assert(Number(done) >= 8 && Number(done) < 40, `${done} were done`);
    delete server.options.respond;
    server.requests.length = 0;
    assertEquals((await runProgram(["reindex"], environment(dir.path, server))).code, 0);
    assertEquals(server.inputs.length, 40 - Number(done) + 1);
  }
});

Deno.test("an unusable model ends reindex with status 1 and the reason, without the key", async () => {
  await using dir = await dirWithNotes(1);
  await using server = TestEmbedder.start({ apiKey: "right" });
  const env = { ...environment(dir.path, server), KB_EMBEDDINGS_API_KEY: "sk-secret" };
  const { code, stderr, stdout } = await runProgram(["reindex"], env);
  assertEquals(code, 1);
  assertMatch(stderr, /^kb-mcp: The embedding model does not accept the key \(401\)/);
  assertEquals((stderr + stdout).includes("sk-secret"), false);
});

const INVALID: [what: string, args: string[], env: Record<string, string>, message: RegExp][] = [
  [
    "a remote engine",
    [],
    { KB_ENGINE_URL: "http://engine:8000" },
    /KB_ENGINE_URL names another engine/,
  ],
  ["no embeddings", [], {}, /KB_EMBEDDINGS_MODEL must name an embedding model for reindex, got off/],
  ["an argument", ["all"], {}, /reindex takes no arguments, got "all"/],
  [
    "no data",
    [],
    { KB_DATA_DIR: "/nowhere", KB_EMBEDDINGS_URL: "http://127.0.0.1:1/v1", KB_EMBEDDINGS_MODEL: "m" },
    /KB_DATA_DIR "\/nowhere" has no data yet/,
  ],
];
for (const [what, args, env, message] of INVALID) {
  Deno.test(`reindex with ${what} exits with 64 and says what to do`, async () => {
    const { code, stdout, stderr } = await runProgram(["reindex", ...args], env);
    assertEquals([code, stdout], [64, ""]);
    assertMatch(stderr, message);
  });
}

Deno.test("a progress line has the percentage, the rate and the remaining time", () => {
  assertEquals(
    progressLine({ done: 1200, total: 5000 }, 1050, 3),
    "embedded 1200 of 5000 chunks (24 %), 350/s, about 11 s left",
  );
  assertEquals(
    progressLine({ done: 10, total: 5000 }, 10, 4),
    "embedded 10 of 5000 chunks (0 %), 2.5/s, about 33 min left",
  );
  assertEquals(progressLine({ done: 0, total: 5000 }, 0, 4), "embedded 0 of 5000 chunks (0 %)");
  assertEquals(progressLine({ done: 0, total: 0 }, 0, 0), "embedded 0 of 0 chunks (100 %)");
});
