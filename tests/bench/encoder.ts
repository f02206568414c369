// deno-lint-ignore-file no-console -- a script that prints its table
/**
 * Measures the built-in embedding model in one thread: `deno run -A tests/bench/encoder.ts [MODEL_FILE]`.
 *
 * The tokens are random words of the vocabulary; their values do not change the amount of work.
 */
import { Encoder, EncoderWeights, readModelFile } from "../../src/encoder/mod.ts";
import { seededRandom } from "../support/random.ts";
import { latencyColumns, median, residentMiB } from "./measure.ts";

const path = Deno.args[0] ?? "models/all-MiniLM-L6-v2.kbmodel";
const QUERY_TOKENS = 22;
const QUERIES = 200;
const DOCUMENTS = 16;
const ROUNDS = 5;
/** Targets for all-MiniLM-L6-v2. */
const TARGETS = { queryMs: 8, tokensPerSecond: 2500, MiB: 80, loadMs: 150 };

const before = await residentMiB(Deno.pid);
const start = performance.now();
const { weights, vocabularySize } = load(await Deno.readFile(path));
const loadMs = performance.now() - start;

const encoder = new Encoder(weights.share(0));
const random = seededRandom(1);
const tokens = (length: number) => Uint32Array.from({ length }, () => random.int(vocabularySize));
function measure(texts: readonly Uint32Array[]): number {
  const start = performance.now();
  encoder.encode(texts);
  return performance.now() - start;
}

const speeds: Record<string, string> = {};
for (const length of [32, 128, encoder.maxTokens]) {
  const texts = Array.from({ length: DOCUMENTS }, () => tokens(length));
  measure(texts);
  const times = Array.from({ length: ROUNDS }, () => measure(texts));
  speeds[`${length} tokens`] = `${(DOCUMENTS * length / median(times) * 1000).toFixed(0)} tokens/s`;
}
const queries = Array.from({ length: QUERIES }, () => measure([tokens(QUERY_TOKENS)]));

console.log(`load, with reading and verifying the file: ${loadMs.toFixed(0)} ms (target ${TARGETS.loadMs})`);
console.log(`shared memory: ${(weights.bytes / 2 ** 20).toFixed(1)} MiB`);
const grown = await residentMiB(Deno.pid) - before;
console.log(`resident memory grown by ${grown.toFixed(0)} MiB (target ${TARGETS.MiB})`);
console.log(`documents (target ${TARGETS.tokensPerSecond} tokens/s per core):`);
console.table(speeds);
console.log(`queries of ${QUERY_TOKENS} tokens (target p50 ${TARGETS.queryMs} ms):`);
console.table({ query: latencyColumns(queries) });

function load(bytes: Uint8Array<ArrayBuffer>) {
  const file = readModelFile(bytes);
  const vocabularySize = file.matrix("embeddings.word_embeddings.weight").rows;
  const weights = EncoderWeights.load(file);
  // Frees the file, as the program does.
  bytes.buffer.transfer(0);
  return { weights, vocabularySize };
}
