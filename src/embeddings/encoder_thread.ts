import { serveThread, type ThreadChannel, type ThreadService } from "../async/mod.ts";
import { Encoder, EncoderWeights, readModelFile } from "../encoder/mod.ts";
import { createTokenizer, type Tokenizer } from "../encoder/tokenizer/mod.ts";
import type {
  EncoderRequest,
  EncoderResponse,
  EncoderSettings,
  ModelToLoad,
  SharedModel,
} from "./encoder_protocol.ts";
import { EmbeddingError } from "./errors.ts";
import { readInto } from "./read_range.ts";

/** Runs an encoder thread. */
export function serveEncoder(channel: ThreadChannel): void {
  serveThread(channel, (settings: EncoderSettings) => EncoderService.open(settings));
}

class EncoderService implements ThreadService<EncoderRequest, EncoderResponse> {
  readonly #tokenizer: Tokenizer;
  readonly #encoder: Encoder;
  /** Settings of all threads, in the one that has loaded the model; until they are fetched. */
  #shares: readonly SharedModel[];

  private constructor({ weights, tokenizer, vocabulary }: SharedModel, shares: readonly SharedModel[]) {
    this.#tokenizer = createTokenizer(tokenizer, vocabulary);
    this.#encoder = new Encoder(weights);
    this.#shares = shares;
  }

  static async open(settings: EncoderSettings): Promise<EncoderService> {
    if (settings.type === "share") return new EncoderService(settings, []);
    const shares = await load(settings);
    const share = shares[settings.index];
    if (!share) throw new RangeError(`There is no encoder ${settings.index}`);
    return new EncoderService(share, shares);
  }

  handle(request: EncoderRequest): EncoderResponse {
    if (request === "share") return this.#shares;
    const { maxTokens } = this.#encoder;
    const inputs = request.map((text) => this.#tokenizer.encode(text, maxTokens));
    const vectors = this.#encoder.encode(inputs.filter((tokens) => this.#hasKnownToken(tokens))).values();
    return inputs.map((tokens) => this.#hasKnownToken(tokens) ? vectors.next().value ?? null : null);
  }

  /** Texts of unknown tokens only are all alike to the model, whatever they say. */
  #hasKnownToken(tokens: Uint32Array): boolean {
    return tokens.length === 2 || tokens.subarray(1, -1).some((id) => id !== this.#tokenizer.unknown);
  }
}

async function load({ path, checksum, encoders }: ModelToLoad): Promise<SharedModel[]> {
  const bytes = await read(path);
  try {
    if (bytes.subarray(-checksum.length / 2).toHex() !== checksum) {
      throw new EmbeddingError(
        "misconfigured",
        "The file of the embedding model was replaced: restart kb-mcp to use it",
      );
    }
    const file = readModelFile(bytes);
    const weights = EncoderWeights.load(file, { encoders });
    const { tokenizer } = file.header;
    // A copy: the view would keep, and send, the whole file.
    const vocabulary = file.vocabulary.slice();
    return Array.from({ length: encoders }, (_, index) => ({
      type: "share",
      weights: weights.share(index),
      tokenizer,
      vocabulary,
    }));
  } finally {
    // Frees the file now: without further allocations, the garbage collector would keep it.
    bytes.buffer.resize(0);
  }
}

/**
 * Reads the file into a resizable buffer, whose memory returns to the system: the allocator may keep that of others,
 * and for a file inside an executable also that of the copies that `Deno.readFile` makes.
 *
 * Errors do not contain its path, since agents see them.
 */
async function read(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const { size } = await Deno.stat(path);
    using file = await Deno.open(path);
    const bytes = new Uint8Array(new ArrayBuffer(size, { maxByteLength: size }));
    return bytes.subarray(0, await readInto(file, bytes));
  } catch (cause) {
    const isMissing = cause instanceof Deno.errors.NotFound;
    throw new Error(isMissing ? "its file is missing" : "its file cannot be read", { cause });
  }
}
