/**
 * An embedding model for tests: `POST /v1/embeddings` over real HTTP, and vectors that are the same each time. Words that
 * mean the same point the same way, so that vectors find what words do not.
 *
 * @module
 */

/** Words that mean the same, in groups. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["car", "automobile", "vehicle"],
  ["doctor", "physician"],
  ["kettle", "teapot"],
  ["purchase", "buy", "acquire"],
];
const MEANINGS = new Map(SYNONYMS.flatMap((group) => group.map((word) => [word, group[0]!] as const)));

/** Settings of {@linkcode TestEmbedder.start}; all may be changed while it runs. */
export interface TestEmbedderOptions {
  /** Name of the model; any other is answered by 404. Default: `test-model`. */
  model?: string;
  /** Default: 64. */
  dimensions?: number;
  /** Bearer token that callers must send. */
  apiKey?: string;
  /** Answers instead of the model; undefined: the model answers. */
  answer?: (
    texts: readonly string[],
    request: EmbeddingsRequest,
  ) => Promise<Response | undefined> | Response | undefined;
  /** The status by which a text is refused, with the whole request that it is in. */
  refuse?: (text: string) => number | undefined;
  /** Sends vectors as base64. */
  base64?: boolean;
}

/** Body of a request. */
export interface EmbeddingsRequest {
  model: string;
  input: string[];
  encoding_format?: string;
  dimensions?: number;
}

/** The model, listening on a free port until it is disposed of. */
export class TestEmbedder implements AsyncDisposable {
  /** Base URL, as `KB_EMBEDDINGS_URL` takes it. */
  readonly url: string;
  readonly options: TestEmbedderOptions;
  /** The bodies of all requests, in the order of their arrival. */
  readonly requests: EmbeddingsRequest[] = [];
  /** Most requests that were in progress at once. */
  mostAtOnce = 0;
  #atOnce = 0;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #closing = new AbortController();

  private constructor(options: TestEmbedderOptions) {
    this.options = options;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#serve(request),
    );
    this.url = `http://127.0.0.1:${this.#server.addr.port}/v1`;
  }

  static start(options: TestEmbedderOptions = {}): TestEmbedder {
    return new TestEmbedder(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#server.shutdown();
  }

  /** All texts that were sent, with their prefixes. */
  get inputs(): string[] {
    return this.requests.flatMap(({ input }) => input);
  }

  /** An answer that never comes: to be returned by `answer`. */
  hang(): Promise<Response> {
    return new Promise((resolve) => {
      this.#closing.signal.addEventListener("abort", () => resolve(new Response(null, { status: 503 })));
    });
  }

  /** The model's answer. */
  reply(texts: readonly string[], dimensions = this.options.dimensions ?? 64): Response {
    const data = texts.map((text, index) => {
      const vector = embed(text, dimensions);
      return {
        object: "embedding",
        index,
        embedding: this.options.base64 ? new Uint8Array(vector.buffer).toBase64() : [...vector],
      };
    });
    // In an order of its own: `index` is what counts.
    return Response.json({ object: "list", model: this.options.model, data: data.reverse() });
  }

  async #serve(request: Request): Promise<Response> {
    this.#atOnce++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    try {
      return await this.#answer(request);
    } finally {
      this.#atOnce--;
    }
  }

  async #answer(request: Request): Promise<Response> {
    const { model = "test-model", apiKey, answer, refuse } = this.options;
    const body: EmbeddingsRequest = await request.json();
    this.requests.push(body);
    if (new URL(request.url).pathname !== "/v1/embeddings") return refusal(404, "no such path");
    const instead = await answer?.(body.input, body);
    if (instead) return instead;
    if (apiKey !== undefined && request.headers.get("authorization") !== `Bearer ${apiKey}`) {
      return refusal(401, `Incorrect API key provided: ${request.headers.get("authorization")}`);
    }
    if (body.model !== model) return refusal(404, `model ${body.model} not found`);
    for (const text of body.input) {
      const status = refuse?.(text);
      if (status !== undefined) return refusal(status, `input is too large: ${text}`);
    }
    return this.reply(body.input, body.dimensions);
  }
}

/** An error in OpenAI's form. */
export function refusal(status: number, message = "", headers: Record<string, string> = {}): Response {
  return Response.json({ error: { message, type: "invalid_request_error" } }, { status, headers });
}

/** The vector of a text: each word turns it a way of its own, and its parts a little too. */
export function embed(text: string, dimensions: number): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(dimensions);
  // Not all zeros, whatever the text.
  vector[0] = 0.01;
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    add(vector, MEANINGS.get(word) ?? word, 1);
    for (let i = 0; i + 3 <= word.length; i++) add(vector, word.slice(i, i + 3), 0.1);
  }
  return vector;
}

function add(vector: Float32Array, feature: string, weight: number): void {
  // FNV-1a. Two places each, so that few features fall together.
  let hash = 0x811c9dc5;
  for (const unit of feature) hash = Math.imul(hash ^ unit.codePointAt(0)!, 0x01000193) >>> 0;
  for (const shift of [0, 16]) {
    const place = (hash >>> shift) & 0xffff;
    const at = (place >>> 1) % vector.length;
    vector[at] = vector[at]! + (place & 1 ? weight : -weight);
  }
}
