/**
 * A fake embedding model: serves `POST /v1/embeddings` over HTTP, with deterministic vectors. Synonyms have
 * the same vector, so that vector search finds what full-text search does not.
 *
 * @module
 */

/** Groups of synonyms. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["car", "automobile", "vehicle"],
  ["doctor", "physician"],
  ["kettle", "teapot"],
  ["purchase", "buy", "acquire"],
];
const MEANINGS = new Map(SYNONYMS.flatMap((group) => group.map((word) => [word, group[0]!] as const)));

/** Settings of {@linkcode TestEmbedder.start}, which may change while it runs. */
export interface TestEmbedderOptions {
  /** Name of the model. Requests for another one fail with 404. @default {"test-model"} */
  model?: string;
  /** @default {64} */
  dimensions?: number;
  /** Required bearer token. */
  apiKey?: string;
  /** Replaces the response of the model, unless it returns undefined. */
  respond?: (
    texts: readonly string[],
    request: EmbeddingsRequest,
  ) => Promise<Response | undefined> | Response | undefined;
  /** Returns the status with which a request fails if it contains this text. */
  rejectStatus?: (text: string) => number | undefined;
  /** Whether to send vectors as base64. */
  base64?: boolean;
}

/** Body of a request. */
export interface EmbeddingsRequest {
  model: string;
  input: string[];
  encoding_format?: string;
  dimensions?: number;
}

/** The running model, on a free port. */
export class TestEmbedder implements AsyncDisposable {
  /** Base URL, for `KB_EMBEDDINGS_URL`. */
  readonly url: string;
  readonly options: TestEmbedderOptions;
  /** Bodies of all requests, in order of arrival. */
  readonly requests: EmbeddingsRequest[] = [];
  /** Maximum number of concurrent requests so far. */
  maxConcurrent = 0;
  #concurrent = 0;
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

  /** Texts of all requests, with their prefixes. */
  get inputs(): string[] {
    return this.requests.flatMap(({ input }) => input);
  }

  /** Responds only when the server is disposed. */
  hang(): Promise<Response> {
    return new Promise((resolve) => {
      this.#closing.signal.addEventListener("abort", () => resolve(new Response(null, { status: 503 })));
    });
  }

  /** Returns the response of the model. */
  embeddings(texts: readonly string[], dimensions = this.options.dimensions ?? 64): Response {
    const data = texts.map((text, index) => {
      const vector = embed(text, dimensions);
      return {
        object: "embedding",
        index,
        embedding: this.options.base64 ? new Uint8Array(vector.buffer).toBase64() : [...vector],
      };
    });
    // Clients must order by `index`.
    return Response.json({ object: "list", model: this.options.model, data: data.reverse() });
  }

  async #serve(request: Request): Promise<Response> {
    this.#concurrent++;
    this.maxConcurrent = Math.max(this.maxConcurrent, this.#concurrent);
    try {
      return await this.#respond(request);
    } finally {
      this.#concurrent--;
    }
  }

  async #respond(request: Request): Promise<Response> {
    const { model = "test-model", apiKey, respond, rejectStatus } = this.options;
    const body: EmbeddingsRequest = await request.json();
    this.requests.push(body);
    if (new URL(request.url).pathname !== "/v1/embeddings") return errorResponse(404, "no such path");
    const response = await respond?.(body.input, body);
    if (response) return response;
    if (apiKey !== undefined && request.headers.get("authorization") !== `Bearer ${apiKey}`) {
      return errorResponse(401, `Incorrect API key provided: ${request.headers.get("authorization")}`);
    }
    if (body.model !== model) return errorResponse(404, `model ${body.model} not found`);
    for (const text of body.input) {
      const status = rejectStatus?.(text);
      if (status !== undefined) return errorResponse(status, `input is too large: ${text}`);
    }
    return this.embeddings(body.input, body.dimensions);
  }
}

/** Returns an error in OpenAI's format. */
export function errorResponse(
  status: number,
  message = "",
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { message, type: "invalid_request_error" } }, { status, headers });
}

/** Returns the vector of a text: the sum of hashed words and, with a low weight, their trigrams. */
export function embed(text: string, dimensions: number): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(dimensions);
  // An empty text must not have a zero vector.
  vector[0] = 0.01;
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    addFeature(vector, MEANINGS.get(word) ?? word, 1);
    for (let i = 0; i + 3 <= word.length; i++) addFeature(vector, word.slice(i, i + 3), 0.1);
  }
  return vector;
}

function addFeature(vector: Float32Array, feature: string, weight: number): void {
  // FNV-1a. Two dimensions per feature make collisions rare.
  let hash = 0x811c9dc5;
  for (const unit of feature) hash = Math.imul(hash ^ unit.codePointAt(0)!, 0x01000193) >>> 0;
  for (const shift of [0, 16]) {
    const bits = (hash >>> shift) & 0xffff;
    const dimension = (bits >>> 1) % vector.length;
    vector[dimension] = vector[dimension]! + (bits & 1 ? weight : -weight);
  }
}
