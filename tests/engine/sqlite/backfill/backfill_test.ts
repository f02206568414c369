import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { Backfill } from "../../../../src/engine/sqlite/backfill/backfill.ts";
import { ApiModel } from "../../../../src/embeddings/mod.ts";
import { claimBuildingSet, claimEmbeddingSet } from "../../../../src/engine/sqlite/store/embedding_sets.ts";
import { decodeVector } from "../../../../src/engine/sqlite/store/stored_vector.ts";
import { countVectors } from "../../../../src/engine/sqlite/store/vectors.ts";
import type { EmbeddingState } from "../../../../src/engine/sqlite/writer/mod.ts";
import { embed, errorResponse, TestEmbedder } from "../../../support/test_embedder.ts";
import { TestStore } from "../store/test_store.ts";
import {
  addNotes,
  countsOf,
  embedded,
  embeddingOptions,
  notes,
  query,
  startWriter,
  tempDir,
  until,
} from "./support.ts";

const IDENTITY = { model: "test-model", documentPrefix: "", dimensions: undefined };
const BAD = ["note 3", "note 12"];
const UNAVAILABLE: [what: string, fail: (server: TestEmbedder) => Promise<Response> | Response][] = [
  ["a timeout", (server) => server.hang()],
  ["a 503", () => errorResponse(503)],
  ["a truncated response", () => new Response('{"data": [')],
];
const CLAIM = { command: "kb-mcp reindex", now: "2026-01-01T00:00:00.000Z" };

Deno.test("every chunk gets a vector, existing chunks and those added later", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start();
  {
    await using plain = await startWriter(dir.path, undefined);
    await addNotes(plain, notes(50));
  }
  await using writer = await startWriter(dir.path, embeddingOptions(server.url));
  const set = writer.embeddingSet!;
  assertEquals(await embedded(dir.path, set), { dimensions: 64, embedded: 50, refused: 0, total: 50 });
  await addNotes(writer, notes(5, 50));
  assertEquals((await embedded(dir.path, set)).embedded, 55);
  assertEquals(server.inputs.toSorted(), notes(55).toSorted());
  assert(server.maxConcurrent <= 2);
  assert(server.requests.every(({ input }) => input.length <= 8));
});

Deno.test("a vector represents title, headings and text without repetitions, and has length 1", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start();
  await using writer = await startWriter(
    dir.path,
    embeddingOptions(server.url, { documentPrefix: "passage: " }),
  );
  const text = "# Plants\n\n## Ferns\n\nWater them on Monday.";
  await writer.call("createJob", { text, title: "Garden", contentHash: "x", sizeBytes: 1, tags: [] });
  await writer.call("ingestNotes", 1);
  await embedded(dir.path, writer.embeddingSet!);
  const sent = `passage: Garden\n${text}`;
  assertEquals(server.inputs, [sent]);
  const [row] = query(dir.path, "SELECT vector FROM chunk_vectors");
  const stored = decodeVector(row!.vector as Uint8Array<ArrayBuffer>, 64);
  const wanted = embed(sent, 64);
  const length = Math.hypot(...wanted);
  assert(stored.every((value, i) => Math.abs(value - wanted[i]! / length) < 1e-3));
});

Deno.test("chunks that arrive while the model embeds others are embedded at the same time", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  using _ = { [Symbol.dispose]: release };
  server.options.respond = async (input) => {
    if (input.includes("note 0")) await released;
    return undefined;
  };
  await using writer = await startWriter(dir.path, embeddingOptions(server.url));
  await addNotes(writer, notes(1));
  await until(() => server.requests.length === 1, "the first note is on its way");
  await addNotes(writer, notes(20, 1));
  await until(() => server.inputs.length === 21, "the other notes follow");
  const set = writer.embeddingSet!;
  await until(() => countsOf(dir.path, set).embedded === 20, "they have their vectors");
  release();
  await embedded(dir.path, set);
  assertEquals(server.inputs.toSorted(), notes(21).toSorted());
});

Deno.test("writes and close do not wait for a model that does not respond", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start();
  server.options.respond = () => server.hang();
  const writer = await startWriter(dir.path, embeddingOptions(server.url));
  await addNotes(writer, notes(100));
  await until(() => server.requests.length === 2, "two batches are on their way");
  await addNotes(writer, notes(1, 100));
  assertEquals(countsOf(dir.path, writer.embeddingSet!), {
    dimensions: null,
    embedded: 0,
    refused: 0,
    total: 101,
  });
  await writer.close();
  assertEquals(server.requests.length, 2);
});

Deno.test("a model that fails is retried until it works, and both are reported", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start({ respond: () => errorResponse(503) });
  const states: EmbeddingState[] = [];
  const onEmbedding = (state: EmbeddingState) => {
    states.push(state);
    delete server.options.respond;
  };
  await using writer = await startWriter(dir.path, embeddingOptions(server.url), { onEmbedding });
  await addNotes(writer, notes(20));
  await embedded(dir.path, writer.embeddingSet!);
  await until(() => writer.embeddingState.error === null, "the state is well again");
  assertEquals(states, [{ error: "The embedding model is not available (503)" }, { error: null }]);
});

Deno.test("delays after failures double up to a minute, and Retry-After is respected", async () => {
  await using store = await TestStore.open();
  await using server = TestEmbedder.start({ respond: () => errorResponse(503) });
  store.addNote("one");
  const delays: number[] = [];
  const delay = (ms: number) => {
    delays.push(ms);
    if (delays.length === 11) server.options.respond = () => errorResponse(429, "", { "retry-after": "300" });
    if (delays.length === 12) delete server.options.respond;
    return Promise.resolve();
  };
  using backfill = backfillOf(store, server, { delay });
  await backfill.run();
  for (const [i, ms] of delays.slice(0, 11).entries()) {
    const longest = Math.min(250 * 2 ** i, 60_000);
    assert(ms >= longest / 2 && ms <= longest, `delay ${i} was ${ms} ms`);
  }
  assertEquals(delays.slice(11), [300_000]);
  assertEquals(countVectors(store.db, 1).embedded, 1);
});

Deno.test("a text that the model refuses is stored as refused, and not sent again", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start({ rejectStatus: (text) => text === "note 3" ? 400 : undefined });
  const options = embeddingOptions(server.url);
  {
    await using writer = await startWriter(dir.path, options);
    await addNotes(writer, notes(20));
    assertEquals(await embedded(dir.path, 1), { dimensions: 64, embedded: 19, refused: 1, total: 20 });
    assertEquals(writer.embeddingState, { error: null });
  }
  server.requests.length = 0;
  await using writer = await startWriter(dir.path, options);
  await addNotes(writer, ["another"]);
  await embedded(dir.path, 1);
  assertEquals(server.inputs, ["another"]);
});

for (const [what, fail] of UNAVAILABLE) {
  Deno.test(`texts that cause ${what} delay no others, and are refused after five rounds while the model works`, async () => {
    await using store = await TestStore.open();
    await using server = TestEmbedder.start();
    server.options.respond = (texts) => texts.some((text) => BAD.includes(text)) ? fail(server) : undefined;
    for (const note of notes(20)) store.addNote(note);
    const rounds: number[] = [];
    const others: number[] = [];
    const delay = (ms: number) => {
      if (ms >= 2000) {
        rounds.push(ms);
        others.push(countVectors(store.db, 1).embedded);
      }
      return Promise.resolve();
    };
    const problems: (string | null)[] = [];
    using backfill = backfillOf(store, server, {
      delay,
      concurrency: 2,
      timeoutMs: 200,
      onProblem: (problem) => problems.push(problem),
    });
    await backfill.run();
    assertEquals(countVectors(store.db, 1), { dimensions: 64, embedded: 18, refused: 2, total: 20 });
    assertEquals(rounds, [2000, 8000, 32_000, 60_000, 60_000]);
    assertEquals(others, [18, 18, 18, 18, 18]);
    assertEquals(problems.at(-1), null);
  });
}

Deno.test("a quarantined text gets its vector in a later round, and new chunks take precedence", async () => {
  await using store = await TestStore.open();
  await using server = TestEmbedder.start();
  let isBusy = true;
  server.options.respond = (texts) => isBusy && texts.includes("note 3") ? errorResponse(503) : undefined;
  for (const note of notes(4)) store.addNote(note);
  const rest = Promise.withResolvers<void>();
  const resting = Promise.withResolvers<void>();
  let rests = 0;
  const delay = (ms: number) => {
    if (ms < 2000) return Promise.resolve();
    rests++;
    resting.resolve();
    return rest.promise;
  };
  using backfill = backfillOf(store, server, { delay });
  const done = backfill.run();
  await resting.promise;
  store.addNote("new");
  backfill.wake();
  await until(() => countVectors(store.db, 1).embedded === 4, "the new one has its vector");
  isBusy = false;
  rest.resolve();
  await done;
  assertEquals([countVectors(store.db, 1).embedded, rests], [5, 1]);
});

Deno.test("no round counts while the model is unavailable or overloaded", async () => {
  for (const down of [() => errorResponse(503), () => errorResponse(429)]) {
    await using store = await TestStore.open();
    await using server = TestEmbedder.start();
    let isDown = false;
    server.options.respond = (texts) =>
      isDown ? down() : texts.includes("note 1") ? errorResponse(503) : undefined;
    for (const note of notes(2)) store.addNote(note);
    let rests = 0;
    const delay = (ms: number) => {
      if (ms < 2000) return Promise.resolve();
      isDown = ++rests < 20;
      if (rests === 20) delete server.options.respond;
      return Promise.resolve();
    };
    using backfill = backfillOf(store, server, { delay });
    await backfill.run();
    assertEquals([countVectors(store.db, 1).embedded, rests], [2, 20]);
  }
});

Deno.test("other chunks get their vectors even if bad texts exceed the quarantine", async () => {
  await using store = await TestStore.open();
  await using server = TestEmbedder.start();
  server.options.respond = (texts) =>
    texts.some((text) => text.includes("bad")) ? errorResponse(503) : undefined;
  const texts = [...Array.from({ length: 300 }, (_, i) => `bad ${i}`), "good"];
  store.addFile("big", {}, { chunks: texts.map(chunk) });
  const delay = () => Promise.resolve();
  using backfill = backfillOf(store, server, { delay });
  await backfill.run();
  assertEquals(countVectors(store.db, 1), { dimensions: 64, embedded: 1, refused: 300, total: 301 });
});

Deno.test("a chunk deleted while it is embedded gets no vector, and deleting a chunk deletes its vector", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start();
  const open = Promise.withResolvers<undefined>();
  server.options.respond = () => open.promise;
  await using writer = await startWriter(dir.path, embeddingOptions(server.url));
  await addNotes(writer, notes(3));
  await until(() => server.inputs.length === 3, "all are on their way");
  await writer.call("deleteDocument", 2);
  open.resolve(undefined);
  assertEquals((await embedded(dir.path, 1)).embedded, 2);
  await writer.call("deleteDocument", 1);
  assertEquals(query(dir.path, "SELECT chunk_id FROM chunk_vectors"), [{ chunk_id: 3 }]);
});

Deno.test("a document deleted during an outage is not sent after it", async () => {
  await using store = await TestStore.open();
  await using server = TestEmbedder.start({ respond: () => errorResponse(503) });
  store.addNote("kept");
  const { document_id } = store.addNote("secret");
  const delay = () => {
    store.write("deleteDocument", Number(document_id));
    delete server.options.respond;
    return Promise.resolve();
  };
  using backfill = backfillOf(store, server, { delay });
  await backfill.run();
  assertEquals(server.requests.map(({ input }) => input), [["kept", "secret"], ["kept"]]);
});

Deno.test("vectors of other dimensions are rejected, and the state says what to do", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start();
  await using writer = await startWriter(dir.path, embeddingOptions(server.url));
  await addNotes(writer, ["one"]);
  await embedded(dir.path, 1);
  server.options.dimensions = 32;
  await addNotes(writer, ["two"]);
  await until(() => writer.embeddingState.error !== null, "it is noticed");
  const error = writer.embeddingState.error ?? "";
  assertMatch(
    error,
    /returns vectors of 32 dimensions, but the stored ones have 64: restore .*_DIMENSIONS/,
  );
  assertStringIncludes(
    error,
    `KB_DATA_DIR=${dir.path} KB_EMBEDDINGS_URL=${server.url} KB_EMBEDDINGS_MODEL=test-model kb-mcp reindex`,
  );
  assertEquals(countsOf(dir.path, 1), { dimensions: 64, embedded: 1, refused: 0, total: 2 });
});

Deno.test("no error or state contains the API key", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start({ apiKey: "the right one" });
  await using writer = await startWriter(dir.path, embeddingOptions(server.url, { apiKey: "sk-wrong" }));
  await addNotes(writer, ["one"]);
  await until(() => writer.embeddingState.error !== null, "it is noticed");
  assertEquals(
    writer.embeddingState.error,
    "The embedding model does not accept the key (401): check KB_EMBEDDINGS_API_KEY",
  );
});

Deno.test("among thousands of chunks, only those without a vector are sent", async () => {
  await using store = await TestStore.open();
  await using server = TestEmbedder.start();
  store.addFile("big", {}, { chunks: Array.from({ length: 5000 }, (_, i) => chunk(`chunk ${i}`)) });
  {
    using backfill = backfillOf(store, server, { batchSize: 500 });
    await backfill.run();
  }
  store.db.exec("DELETE FROM chunk_vectors WHERE chunk_id IN (7, 2100, 4999)");
  server.requests.length = 0;
  using backfill = backfillOf(store, server, {});
  await backfill.run();
  assertEquals(
    server.inputs.toSorted(),
    ["chunk 6", "chunk 2099", "chunk 4998"].map((each) => `report.pdf\n${each}`).toSorted(),
  );
});

Deno.test("a full disk is reported with advice, and the backfill resumes when there is space", async () => {
  await using store = await TestStore.open();
  await using server = TestEmbedder.start({ dimensions: 4096 });
  for (const note of notes(8)) store.addNote(note);
  const reported: (string | null)[] = [];
  const delay = () => {
    store.db.exec("PRAGMA max_page_count = 100000");
    return Promise.resolve();
  };
  using backfill = backfillOf(store, server, { delay, onProblem: (problem) => reported.push(problem) });
  store.db.exec("PRAGMA max_page_count = 1");
  await backfill.run();
  assertEquals(reported, [
    "Cannot store vectors, because the disk is full or failing: free some space",
    null,
  ]);
  assertEquals(countVectors(store.db, 1).embedded, 8);
});

Deno.test("the cause of a storage error is reported for the log", async () => {
  await using store = await TestStore.open();
  await using server = TestEmbedder.start();
  store.addNote("one");
  store.db.exec(
    "CREATE TRIGGER broken BEFORE INSERT ON chunk_vectors BEGIN SELECT raise(ABORT, 'it is broken'); END",
  );
  const reported: unknown[] = [];
  const delay = () => {
    store.db.exec("DROP TRIGGER broken");
    return Promise.resolve();
  };
  using backfill = backfillOf(store, server, { delay, onProblem: (...problem) => reported.push(problem) });
  await backfill.run();
  assertEquals(reported, [["Cannot store vectors", "it is broken"], [null, undefined]]);
});

Deno.test("a database that cannot be read is retried once after a delay, however often the backfill is woken", async () => {
  await using store = await TestStore.open();
  await using server = TestEmbedder.start();
  store.addNote("one");
  const rest = Promise.withResolvers<void>();
  const resting = Promise.withResolvers<void>();
  let delays = 0;
  const delay = () => {
    delays++;
    resting.resolve();
    return rest.promise;
  };
  let isBroken = true;
  const currentSet = () => {
    if (isBroken) throw new Error("disk I/O error");
    return 1;
  };
  using backfill = backfillOf(store, server, { delay, currentSet });
  backfill.wake();
  await resting.promise;
  backfill.wake();
  // A retry would read the database in the next turn of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(delays, 1);
  isBroken = false;
  rest.resolve();
  await until(() => countVectors(store.db, 1).embedded === 1, "the chunk has its vector");
});

Deno.test("a different set is filled from the first chunk", async () => {
  await using store = await TestStore.open();
  await using server = TestEmbedder.start();
  store.addNote("one");
  store.addNote("two");
  const other = () => claimBuildingSet(store.db, { ...IDENTITY, model: "other" }, CLAIM.now).id;
  const sets = [claimEmbeddingSet(store.db, IDENTITY, CLAIM), other()];
  let at = 0;
  using backfill = backfillOf(store, server, { currentSet: () => sets[at]! });
  await backfill.run();
  at = 1;
  await backfill.run();
  assertEquals(sets.map((set) => countVectors(store.db, set).embedded), [2, 2]);
});

Deno.test("after kill -9 every chunk gets a vector, and no stored one is made again", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start();
  {
    await using plain = await startWriter(dir.path, undefined);
    await addNotes(plain, notes(200));
  }
  const options = embeddingOptions(server.url);
  const child = spawnWriterProcess(dir.path, options);
  server.options.respond = () => {
    if (server.requests.length === 10) child.kill("SIGKILL");
    return undefined;
  };
  await child.status;
  const before = countsOf(dir.path, 1).embedded;
  assert(before > 0 && before < 200, `${before} were stored`);
  delete server.options.respond;
  server.requests.length = 0;
  await using writer = await startWriter(dir.path, options);
  assertEquals((await embedded(dir.path, writer.embeddingSet!)).embedded, 200);
  assertEquals(server.inputs.length, 200 - before);
});

function spawnWriterProcess(dataDir: string, options: unknown): Deno.ChildProcess {
  const support = new URL("./support.ts", import.meta.url).href;
  const code = `
    const { startWriter } = await import(${JSON.stringify(support)});
    await startWriter(${JSON.stringify(dataDir)}, ${JSON.stringify(options)});
  `;
  const config = fileURLToPath(new URL("../../../../deno.json", import.meta.url));
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", config, `data:text/javascript,${encodeURIComponent(code)}`],
    stdout: "null",
    stderr: "inherit",
  }).spawn();
}

function backfillOf(
  store: TestStore,
  server: TestEmbedder,
  { batchSize = 8, concurrency = 1, timeoutMs = 30_000, currentSet, delay, onProblem = () => {} }: {
    batchSize?: number;
    concurrency?: number;
    timeoutMs?: number;
    currentSet?: () => number;
    delay?: (ms: number) => Promise<void>;
    onProblem?: (problem: string | null, cause?: string) => void;
  },
): Backfill {
  const id = claimEmbeddingSet(store.db, IDENTITY, CLAIM);
  return new Backfill({
    db: store.db,
    currentSet: currentSet ?? (() => id),
    model: new ApiModel(embeddingOptions(server.url, { batchSize, concurrency, timeoutMs })),
    command: "kb-mcp reindex",
    onProblem,
    ...(delay && { delay }),
  });
}

function chunk(text: string) {
  return {
    text,
    headingPath: [],
    charStart: 0,
    charEnd: 1,
    lineStart: 1,
    lineEnd: 1,
    pageStart: 1,
    pageEnd: 1,
  };
}
