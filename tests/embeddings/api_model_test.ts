import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ApiModel, type ApiModelOptions, EmbeddingError } from "../../src/embeddings/mod.ts";
import { embed, errorResponse, TestEmbedder, type TestEmbedderOptions } from "../support/test_embedder.ts";
import { embeddingOptions, until } from "../engine/sqlite/backfill/support.ts";

function connect(server: TestEmbedder, options: Partial<ApiModelOptions> = {}): ApiModel {
  return new ApiModel(embeddingOptions(server.url, options));
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function assertNear(actual: Float32Array | null, expected: Float32Array): void {
  assert(actual !== null);
  const wanted = unit(expected);
  assertEquals(actual.length, wanted.length);
  assert(actual.every((value, i) => Math.abs(value - wanted[i]!) < 1e-6));
}

Deno.test("vectors are scaled to length 1 and assigned by index, as numbers or base64", async () => {
  for (const base64 of [false, true]) {
    await using server = TestEmbedder.start({ base64 });
    const vectors = await connect(server).embedDocuments(["one kettle", "two cars", "three"]);
    for (const [i, text] of ["one kettle", "two cars", "three"].entries()) {
      assertNear(vectors[i]!, embed(text, 64));
    }
  }
});

Deno.test("prefixes are prepended, and dimensions are sent only if configured", async () => {
  await using server = TestEmbedder.start();
  const model = connect(server, { queryPrefix: "query: ", documentPrefix: "passage: " });
  await model.embedQuery("a");
  await model.embedDocuments(["b"]);
  assertEquals(server.requests, [
    { model: "test-model", input: ["query: a"], encoding_format: "float" },
    { model: "test-model", input: ["passage: b"], encoding_format: "float" },
  ]);
  const [short] = await connect(server, { dimensions: 8 }).embedDocuments(["c"]);
  assertEquals([server.requests.at(-1)?.dimensions, short?.length], [8, 8]);
});

Deno.test("long queries are truncated, and lone surrogates replaced", async () => {
  await using server = TestEmbedder.start();
  await connect(server).embedQuery("a".repeat(1999) + "😀");
  await connect(server).embedDocuments(["lone \ud800"]);
  assertEquals(server.inputs, ["a".repeat(1999) + "\ufffd", "lone \ufffd"]);
});

Deno.test("the URL may be the base URL or the embeddings endpoint", async () => {
  await using server = TestEmbedder.start();
  for (const url of [server.url, `${server.url}/`, `${server.url}/embeddings`]) {
    await new ApiModel(embeddingOptions(url)).embedQuery("a");
  }
  assertEquals(server.requests.length, 3);
});

Deno.test("texts are sent in batches", async () => {
  await using server = TestEmbedder.start();
  const texts = Array.from({ length: 10 }, (_, i) => `text ${i}`);
  assertEquals((await connect(server, { batchSize: 4 }).embedDocuments(texts)).length, 10);
  assertEquals(server.requests.map(({ input }) => input.length), [4, 4, 2]);
});

Deno.test("the last 256 queries are cached", async () => {
  await using server = TestEmbedder.start();
  const model = connect(server);
  for (let i = 0; i < 256; i++) await model.embedQuery(`q${i}`);
  await model.embedQuery("q0");
  assertEquals(server.requests.length, 256);
  for (let i = 0; i < 255; i++) await model.embedQuery(`new ${i}`);
  await model.embedQuery("q0");
  assertEquals(server.requests.length, 511);
  await model.embedQuery("q1");
  for (let i = 0; i < 512; i++) await model.embedQuery(`newer ${i}`);
  await model.embedQuery("q0");
  assertEquals(server.requests.length, 1024);
});

Deno.test("a cached query vector with other dimensions is requested again", async () => {
  await using server = TestEmbedder.start({ dimensions: 32 });
  const model = connect(server);
  assertEquals((await model.embedQuery("kettle", { dimensions: 64 })).length, 32);
  delete server.options.dimensions;
  assertEquals((await model.embedQuery("kettle", { dimensions: 64 })).length, 64);
  assertEquals((await model.embedQuery("kettle", { dimensions: 64 })).length, 64);
  assertEquals(server.requests.length, 2);
});

const KEY = "sk-very-secret";
const FAILURES: [failure: string, TestEmbedderOptions["respond"], code: string, message: RegExp][] = [
  [
    "a wrong key",
    () => errorResponse(401, `Incorrect API key: ${KEY}`),
    "unauthorized",
    /\(401\): check KB_EMB/,
  ],
  ["a forbidden key", () => errorResponse(403), "unauthorized", /KB_EMBEDDINGS_API_KEY/],
  [
    "an unknown model",
    () => errorResponse(404, `model not found for ${KEY}`),
    "misconfigured",
    /returned 404 \(model not found for \*\*\*\): check KB_EMBEDDINGS_URL .*"test-model"/,
  ],
  [
    "a redirect",
    () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:1/" } }),
    "misconfigured",
    /returned a redirect \(307\)/,
  ],
  ["too many requests", () => errorResponse(429), "overloaded", /overloaded/],
  ["an unavailable server", () => errorResponse(503), "unavailable", /not available \(503\)/],
  ["a response that is not JSON", () => new Response("<html>"), "unavailable", /not a list of embeddings/],
  [
    "a response of another shape",
    () => Response.json({ embeddings: [[1]] }),
    "unavailable",
    /not a list of embeddings/,
  ],
  ["malformed base64", () => Response.json({ data: [{ embedding: "%%" }] }), "unavailable", /not base64/],
  ["no vector", () => Response.json({ data: [] }), "unavailable", /one vector for each of 1 texts, got 0/],
  [
    "the same index twice",
    () => Response.json({ data: [{ index: 1, embedding: [1] }] }),
    "unavailable",
    /one vector for each of 1 texts, got 1/,
  ],
  [
    "a vector without numbers",
    () => Response.json({ data: [{ embedding: [] }] }),
    "wrong_dimensions",
    /0 dimensions/,
  ],
  ["an oversized response", () => new Response("x".repeat(2 ** 21)), "unavailable", /at most \d+ bytes/],
];
for (const [failure, respond, code, message] of FAILURES) {
  Deno.test(`${failure} is reported as ${code}, without the key`, async () => {
    await using server = TestEmbedder.start({ respond: respond! });
    const model = connect(server, { apiKey: KEY });
    const calls = [() => model.embedQuery("a"), () => model.embedDocuments(["b"])];
    for (const call of calls) {
      const error = await assertRejects(call, EmbeddingError);
      assertEquals(error.code, code);
      assertMatch(error.message, message);
      assertEquals(Deno.inspect(error).includes(KEY), false);
    }
  });
}

Deno.test("an unreachable server is reported by its host", async () => {
  const error = await assertRejects(
    () => new ApiModel(embeddingOptions("http://127.0.0.1:1/v1")).embedQuery("a"),
    EmbeddingError,
    "cannot be reached at 127.0.0.1:1",
  );
  assertEquals(error.code, "unavailable");
});

Deno.test("vectors with other than the configured dimensions are rejected with both numbers", async () => {
  await using server = TestEmbedder.start();
  server.options.respond = (texts) => server.embeddings(texts, 32);
  await assertRejects(
    () => connect(server, { dimensions: 16 }).embedDocuments(["a"]),
    EmbeddingError,
    "KB_EMBEDDINGS_DIMENSIONS is 16, but the embedding model returns 32 dimensions",
  );
});

Deno.test("a compressed response is refused unread, and none is requested", async () => {
  const requested: (string | null)[] = [];
  let isCancelled = false;
  const model = new ApiModel(embeddingOptions("http://embedder.test"), {
    fetch: (_url: unknown, init?: RequestInit) => {
      requested.push(new Headers(init?.headers).get("accept-encoding"));
      const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
      return Promise.resolve(new Response(body, { headers: { "content-encoding": "gzip" } }));
    },
  });
  const error = await assertRejects(
    () => model.embedDocuments(["a"]),
    EmbeddingError,
    "a compressed response",
  );
  assertEquals([error.code, requested[0], isCancelled], ["unavailable", "identity", true]);
});

Deno.test("retryAfterMs is parsed from Retry-After", async () => {
  await using server = TestEmbedder.start({ respond: () => errorResponse(429, "", { "retry-after": "7" }) });
  const error = await assertRejects(() => connect(server).embedDocuments(["a"]), EmbeddingError);
  assertEquals(error.retryAfterMs, 7000);
  server.options.respond = () => errorResponse(503, "", { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" });
  assertEquals(
    (await assertRejects(() => connect(server).embedDocuments(["a"]), EmbeddingError)).retryAfterMs,
    0,
  );
});

for (const status of [400, 413, 422, 424, 500]) {
  Deno.test(`a text that is rejected with ${status} gets no vector, and the others do`, async () => {
    await using server = TestEmbedder.start({
      rejectStatus: (text) => text.startsWith("bad") ? status : undefined,
    });
    const texts = ["a", "b", "bad thing", "c", "d", "e", "f", "bad"];
    const vectors = await connect(server).embedDocuments(texts);
    assertEquals(texts.filter((_, i) => vectors[i] === null), ["bad thing", "bad"]);
    assertNear(vectors[6]!, embed("f", 64));
    assert(server.requests.length < 24, `${server.requests.length} requests`);
  });
}

Deno.test("the start of a text that is too long is embedded", async () => {
  await using server = TestEmbedder.start({ rejectStatus: (text) => text.length > 300 ? 400 : undefined });
  const long = `${"kettle ".repeat(40)}${"other ".repeat(120)}`;
  const vectors = await connect(server).embedDocuments(["a", long]);
  assertNear(vectors[1]!, embed(long.slice(0, long.length / 4), 64));
});

Deno.test("a model that rejects every text is reported as misconfigured", async () => {
  await using server = TestEmbedder.start({ rejectStatus: () => 400 });
  const error = await assertRejects(() => connect(server).embedDocuments(["a", "b"]), EmbeddingError);
  assertEquals(error.code, "misconfigured");
  assertMatch(error.message, /rejects every text \(input is too large: test\)/);
});

Deno.test("a model that always fails gets two requests and is reported as failed", async () => {
  await using server = TestEmbedder.start({ respond: () => errorResponse(500) });
  const error = await assertRejects(() => connect(server).embedDocuments(["a", "b", "c"]), EmbeddingError);
  assertEquals([error.code, server.requests.length], ["failed", 2]);
});

Deno.test("an outage during bisection is reported and not blamed on a text", async () => {
  await using server = TestEmbedder.start();
  // Responses to the batch, the probe, the single text, and the last request.
  const statuses = [500, undefined, 500, 503];
  server.options.respond = () => {
    const status = statuses.shift();
    return status === undefined ? undefined : errorResponse(status);
  };
  const error = await assertRejects(() => connect(server).embedDocuments(["a", "b"]), EmbeddingError);
  assertEquals([error.code, server.requests.length], ["unavailable", 4]);
});

Deno.test("a vector without direction is null", async () => {
  await using server = TestEmbedder.start();
  server.options.respond = (texts) =>
    texts.includes("NaN")
      ? Response.json({
        data: texts.map((_, index) => ({ index, embedding: index === 1 ? [null, 1] : [1, 2] })),
      })
      : server.embeddings(texts);
  const vectors = await connect(server).embedDocuments(["a", "NaN", "b"]);
  assertEquals(vectors.map((vector) => vector === null), [false, true, false]);
});

Deno.test("a model that returns only zeros is reported as misconfigured", async () => {
  await using server = TestEmbedder.start({
    respond: (texts) => Response.json({ data: texts.map(() => ({ embedding: [0, 0] })) }),
  });
  const error = await assertRejects(() => connect(server).embedDocuments(["a"]), EmbeddingError, "zeros");
  assertEquals(error.code, "misconfigured");
});

Deno.test("a server's limit on the batch size is learned", async () => {
  await using server = TestEmbedder.start({
    respond: (texts) => texts.length > 2 ? errorResponse(413) : undefined,
  });
  const model = connect(server);
  const texts = Array.from({ length: 16 }, (_, i) => `t${i}`);
  assertEquals((await model.embedDocuments(texts)).includes(null), false);
  assertEquals(model.batchSize, 2);
  const before = server.requests.length;
  await model.embedDocuments(texts);
  assertEquals(server.requests.slice(before).every(({ input }) => input.length === 2), true);
});

Deno.test("a timeout halves the next batch", async () => {
  await using server = TestEmbedder.start();
  server.options.respond = (texts) => texts.length > 4 ? server.hang() : undefined;
  const model = connect(server, { timeoutMs: 100 });
  const texts = Array.from({ length: 8 }, (_, i) => `t${i}`);
  const error = await assertRejects(() => model.embedDocuments(texts), EmbeddingError, "within 0.1 s");
  assertEquals([error.code, error.timedOut, model.batchSize], ["unavailable", true, 4]);
  assertEquals((await model.embedDocuments(texts.slice(0, 4))).length, 4);
  assertEquals(model.batchSize, 5);
});

Deno.test("the batch size adapts to requests of about a second, up to the setting", async () => {
  await using server = TestEmbedder.start();
  let now = 0;
  let msPerText = 500;
  server.options.respond = (texts) => {
    now += msPerText * texts.length;
    return undefined;
  };
  const model = new ApiModel(embeddingOptions(server.url, { batchSize: 32 }), { now: () => now });
  const texts = Array.from({ length: 300 }, (_, i) => `t${i}`);
  const sizes = () => server.requests.splice(0).map(({ input }) => input.length);
  await model.embedDocuments(texts.slice(0, 14));
  assertEquals(sizes(), [8, 2, 2, 2]);
  msPerText = 1;
  await model.embedDocuments(texts);
  assertEquals(sizes().slice(0, 5), [2, 3, 4, 5, 6]);
  assertEquals(model.batchSize, 32);
  msPerText = 5000;
  await model.embedDocuments(texts.slice(0, 33));
  assertEquals(sizes(), [32, 1]);
});

Deno.test("after a failure queries fail fast, and one is retried in the background", async () => {
  await using server = TestEmbedder.start({ respond: () => errorResponse(503) });
  let now = 0;
  await using model = new ApiModel(embeddingOptions(server.url), { now: () => now });
  await assertRejects(() => model.embedQuery("a"), EmbeddingError, "503");
  now = 4999;
  await assertRejects(() => model.embedQuery("b"), EmbeddingError, "503");
  assertEquals(server.requests.length, 1);
  now = 5000;
  const open = Promise.withResolvers<undefined>();
  server.options.respond = () => open.promise;
  for (const query of ["c", "d"]) {
    await assertRejects(() => model.embedQuery(query), EmbeddingError, "503");
  }
  await until(() => server.requests.length === 2, "one query is retried");
  open.resolve(undefined);
  let vector: Float32Array | undefined;
  while (!vector) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    vector = await model.embedQuery("c").catch(() => undefined);
  }
  assertEquals([vector.length, server.inputs], [64, ["a", "c"]]);
  assertEquals((await model.embedQuery("e")).length, 64);
});

Deno.test("after a failure no query waits for a hanging model, and disposal aborts the retry", async () => {
  await using server = TestEmbedder.start({ respond: () => errorResponse(503) });
  let now = 0;
  {
    await using model = new ApiModel(embeddingOptions(server.url), { now: () => now });
    await assertRejects(() => model.embedQuery("a"), EmbeddingError, "503");
    server.options.respond = () => server.hang();
    for (now = 5000; now < 100_000; now += 5000) {
      await assertRejects(() => model.embedQuery("b"), EmbeddingError, "503");
    }
    await until(() => server.requests.length === 2, "one query is retried");
  }
  assertEquals(server.requests.length, 2);
});

Deno.test("a rejected query does not open the circuit breaker", async () => {
  await using server = TestEmbedder.start({ rejectStatus: (text) => text === "bad" ? 400 : undefined });
  const model = connect(server);
  assertEquals((await assertRejects(() => model.embedQuery("bad"), EmbeddingError)).code, "refused");
  assertEquals((await model.embedQuery("good")).length, 64);
});

Deno.test("an aborted query does not open the circuit breaker", async () => {
  await using server = TestEmbedder.start();
  const left = new AbortController();
  server.options.respond = () => {
    left.abort(new Error("left"));
    return server.hang();
  };
  const model = connect(server);
  await assertRejects(() => model.embedQuery("a", { signal: left.signal }), Error, "left");
  delete server.options.respond;
  assertEquals((await model.embedQuery("b")).length, 64);
});

Deno.test("at most 64 queries wait for the model", async () => {
  await using server = TestEmbedder.start();
  const open = Promise.withResolvers<undefined>();
  server.options.respond = () => open.promise;
  const model = connect(server);
  const waiting = Array.from({ length: 64 }, (_, i) => model.embedQuery(`q${i}`));
  await assertRejects(() => model.embedQuery("one more"), EmbeddingError, "busy");
  open.resolve(undefined);
  assertEquals((await Promise.all(waiting)).length, 64);
});

Deno.test("synonyms have similar vectors", async () => {
  await using server = TestEmbedder.start();
  const model = connect(server);
  const query = await model.embedQuery("automobile");
  const [near, far] = await model.embedDocuments(["my car", "my garden"]);
  const dot = (other: Float32Array) => query.reduce((sum, value, i) => sum + value * other[i]!, 0);
  assert(dot(near!) > dot(far!) + 0.3);
});
