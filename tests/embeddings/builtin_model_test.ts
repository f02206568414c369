import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  BuiltinModel,
  type BuiltinModelEffects,
  type BuiltinModelOptions,
  EmbeddingError,
  readModelInfo,
} from "../../src/embeddings/mod.ts";
import type { ThreadPort } from "../../src/async/mod.ts";
import { spawnEncoder } from "../../src/engine/worker.ts";
import { tempDir } from "../engine/sqlite/backfill/support.ts";
import { tinyModel, type TinyModelOptions } from "../support/tiny_model.ts";

/** Time for a query, which includes the start of its thread: on a busy machine that takes seconds. */
const QUERY_TIMEOUT_MS = 60_000;

/** Writes a tiny model and returns its options. */
async function installed(directory: string, options: TinyModelOptions = {}): Promise<BuiltinModelOptions> {
  const path = `${directory}/tiny.kbmodel`;
  await Deno.writeFile(path, tinyModel(options));
  const info = await readModelInfo(path);
  return { type: "builtin", model: "tiny", isDefault: false, mayDownload: false, ...info };
}

/** Counts the threads that run, and makes them fail. */
class Threads {
  running = 0;
  readonly #failures: ((cause: unknown) => void)[] = [];

  readonly spawn = (): ThreadPort => {
    const port = spawnEncoder();
    this.running++;
    let isTerminated = false;
    return {
      ...port,
      onEnd: (listener) => {
        this.#failures.push(listener);
        port.onEnd(listener);
      },
      terminate: () => {
        if (!isTerminated) this.running--;
        isTerminated = true;
        return port.terminate();
      },
    };
  };

  /** Makes all threads fail, as if they had thrown outside of a request. */
  fail(): void {
    for (const fail of this.#failures.splice(0)) fail(new Error("crashed"));
  }
}

async function open(effects: Partial<BuiltinModelEffects> = {}, model: TinyModelOptions = {}) {
  await using undo = new AsyncDisposableStack();
  const dir = undo.use(await tempDir());
  const options = await installed(dir.path, model);
  const threads = new Threads();
  const opened = undo.use(
    new BuiltinModel(options, {
      spawn: threads.spawn,
      spawnSpare: threads.spawn,
      documentThreads: 2,
      queryTimeoutMs: QUERY_TIMEOUT_MS,
      ...effects,
    }),
  );
  const resources = undo.move();
  return { model: opened, options, threads, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function cosine(a: Float32Array | null | undefined, b: Float32Array | null | undefined): number {
  assert(a && b);
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

Deno.test("texts get vectors of length 1, and the same text the same vector", async () => {
  await using test = await open();
  const vectors = await test.model.embedDocuments(["heron and water", "tea", "heron and water"]);
  assertEquals(vectors.map((vector) => vector?.length), [64, 64, 64]);
  for (const vector of vectors) assert(Math.abs(cosine(vector, vector) - 1) < 1e-5);
  assertEquals(vectors[0], vectors[2]);
  assert(cosine(vectors[0], vectors[1]) < 0.999);
  const query = await test.model.embedQuery("heron and water");
  assert(cosine(query, vectors[0]) > 0.999);
});

Deno.test("no thread starts before the first text, and queries have a thread of their own", async () => {
  await using test = await open();
  assertEquals(test.threads.running, 0);
  await Promise.all(["a", "b", "c"].map((text) => test.model.embedDocuments([text])));
  assertEquals(test.threads.running, 2);
  await test.model.embedQuery("tea");
  assertEquals(test.threads.running, 3);
  await test.model.embedQuery("coffee");
  assertEquals(test.threads.running, 3);
});

Deno.test("prefixes come from the model", async () => {
  await using test = await open({}, { prefixes: { query: "heron ", document: "meeting " } });
  const [query, document] = [await test.model.embedQuery("tea"), await test.model.embedDocuments(["tea"])];
  assert(cosine(query, document[0]) < 0.999);
  await using plain = await open();
  const [prefixed] = await plain.model.embedDocuments(["heron tea"]);
  assert(cosine(query, prefixed) > 0.999);
});

Deno.test("a repeated query is not embedded again", async () => {
  await using test = await open();
  const first = await test.model.embedQuery("tea");
  assertEquals(await test.model.embedQuery("tea") === first, true);
});

Deno.test("document threads end when they are idle, and start again", async () => {
  await using test = await open({ idleMs: 0 });
  await test.model.embedQuery("tea");
  const [first] = await test.model.embedDocuments(["water"]);
  while (test.threads.running > 1) await new Promise((resolve) => setTimeout(resolve, 1));
  assertEquals((await test.model.embedDocuments(["water"]))[0], first);
});

Deno.test("a thread that fails rejects its requests and is replaced, also the one that loaded the model", async () => {
  await using test = await open();
  const [first] = await test.model.embedDocuments(["water"]);
  const lost = test.model.embedDocuments(["water"]);
  test.threads.fail();
  const error = await assertRejects(() => lost, EmbeddingError, "has ended");
  assertEquals([error.code, test.threads.running], ["unavailable", 0]);
  assertEquals((await test.model.embedDocuments(["water"]))[0], first);
  assertEquals((await test.model.embedQuery("water")).length, 64);
});

Deno.test("a text without a known token gets no vector, and such a query does not count as a failure", async () => {
  await using test = await open();
  const [unknown, known, empty] = await test.model.embedDocuments(["ไทย 数据", "tea ไทย", ""]);
  assertEquals([unknown, known?.length, empty?.length], [null, 64, 64]);
  const error = await assertRejects(() => test.model.embedQuery("数据"), EmbeddingError);
  assertEquals(
    [error.code, error.message],
    ["refused", "The embedding model tiny does not know the characters of the query"],
  );
  assertEquals((await test.model.embedQuery("tea")).length, 64);
});

Deno.test("a damaged file is reported with the command that helps, and its replacement is loaded", async () => {
  let now = 0;
  await using test = await open({ now: () => now });
  const bytes = await Deno.readFile(test.options.path);
  const damaged = bytes.slice();
  damaged[bytes.length - 100]! ^= 1;
  await Deno.writeFile(test.options.path, damaged);
  for (const embed of [() => test.model.embedQuery("tea"), () => test.model.embedDocuments(["tea"])]) {
    const error = await assertRejects(embed, EmbeddingError);
    assertEquals(error.code, "misconfigured");
    assertMatch(
      error.message,
      /^The embedding model tiny cannot be loaded \(.*damaged.*\): run kb-mcp model install tiny$/,
    );
  }
  await Deno.writeFile(test.options.path, bytes);
  await assertRejects(() => test.model.embedQuery("tea"), EmbeddingError);
  now = 5000;
  assertEquals((await test.model.embedQuery("tea")).length, 64);
  assertEquals((await test.model.embedDocuments(["tea"])).length, 1);
});

Deno.test("another file at the same path is not used", async () => {
  await using test = await open();
  await Deno.writeFile(test.options.path, tinyModel({ seed: 2 }));
  const error = await assertRejects(() => test.model.embedDocuments(["tea"]), EmbeddingError);
  assertEquals(error.message, "The file of the embedding model was replaced: restart kb-mcp to use it");
});

Deno.test("the error for a missing file does not contain its path", async () => {
  await using test = await open();
  await Deno.remove(test.options.path);
  const error = await assertRejects(() => test.model.embedDocuments(["tea"]), EmbeddingError);
  assertEquals(
    error.message,
    "The embedding model tiny cannot be loaded (its file is missing): run kb-mcp model install tiny",
  );
});

Deno.test("an aborted request rejects with the reason, and disposing ends all threads at once", async () => {
  const test = await open();
  const abort = new AbortController();
  const request = test.model.embedDocuments(["tea"], abort.signal);
  abort.abort(new Error("enough"));
  await assertRejects(() => request, Error, "enough");
  const pending = test.model.embedDocuments(["water"]).catch((error) => error);
  await test[Symbol.asyncDispose]();
  assert(await pending instanceof EmbeddingError);
  assertEquals(test.threads.running, 0);
  await assertRejects(() => test.model.embedQuery("coffee"), EmbeddingError);
});

Deno.test("queries that are abandoned before their turn are not embedded", async () => {
  const requests: unknown[] = [];
  await using test = await open({
    spawn: () => {
      const port = spawnEncoder();
      return {
        ...port,
        post: (message) => {
          if ((message as { type: string }).type === "request") requests.push(message);
          port.post(message);
        },
      };
    },
  });
  await test.model.embedQuery("warm");
  const before = requests.length;
  const stop = new AbortController();
  const first = test.model.embedQuery("first");
  const others = ["a", "b", "c"].map((text) =>
    assertRejects(() => test.model.embedQuery(text, { signal: stop.signal }), Error, "left")
  );
  // Queries are handed over asynchronously.
  await Promise.resolve();
  stop.abort(new Error("left"));
  await Promise.all([first, ...others]);
  await test.model.embedQuery("last");
  assertEquals(requests.length - before, 2);
});

Deno.test("a query fails when its thread does not respond in time", async () => {
  const silent = () => ({ ...spawnEncoder(), post: () => {} });
  await using test = await open({ spawn: silent, queryTimeoutMs: 1 });
  const error = await assertRejects(() => test.model.embedQuery("tea"), EmbeddingError);
  assert(error.timedOut);
  assertEquals(error.message, "The embedding model tiny did not respond within 0.001 s");
});

Deno.test("too many queries at once fail fast, and later ones succeed", async () => {
  await using test = await open();
  await test.model.embedQuery("warm");
  const queries = Array.from({ length: 60 }, (_, n) => test.model.embedQuery(`heron ${n}`));
  const results = await Promise.allSettled(queries);
  const errors = results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
  assertEquals(errors.length, 60 - 32);
  for (const error of errors) {
    assert(error instanceof EmbeddingError);
    assertMatch(error.message, /is busy: try again/);
  }
  await test.model.embedQuery("later");
});

Deno.test("queries use the thread that is given for them, and documents do not", async () => {
  const queries = new Threads();
  await using test = await open({ spawnQueries: queries.spawn });
  await test.model.embedDocuments(["water"]);
  assertEquals([queries.running, test.threads.running], [0, 1]);
  await test.model.embedQuery("tea");
  assertEquals([queries.running, test.threads.running], [1, 1]);
});

Deno.test({
  name: "the spare thread embeds documents when the others are busy, but not within 10 s after a query",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const spare = new Threads();
    let now = 0;
    await using test = await open({ spawnSpare: spare.spawn, idleMs: 0, now: () => now });
    const embedThree = async () => {
      const started: number[] = [];
      await Promise.all(["a", "b", "c"].map(async (text) => {
        await test.model.embedDocuments([text]);
        started.push(spare.running);
      }));
      return Math.max(...started);
    };
    const [first] = await test.model.embedDocuments(["a"]);
    assertEquals([spare.running, first?.length], [0, 64]);
    assertEquals(await embedThree(), 1);
    while (spare.running > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await test.model.embedQuery("tea");
    now = 9_999;
    assertEquals(await embedThree(), 0);
    now = 10_000;
    assertEquals(await embedThree(), 1);
  },
});
