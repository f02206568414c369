/**
 * Texts of the scale benchmark, in an order that is random and always the same: real prose that `texts.ts` has
 * converted from packages, or generated text.
 *
 * @module
 */
import { createReadStream, openSync, readSync } from "node:fs";
import { seededRandom } from "../../support/random.ts";
import { syntheticText } from "../corpus.ts";

/** A document to store. */
export interface ScaleText {
  readonly title: string;
  readonly text: string;
}

/** A list of texts that is read on demand. */
export interface TextList {
  readonly length: number;
  /** Returns a text, by its number in the random order. */
  at(index: number): ScaleText;
}

/** Notes of one paragraph, and files of 5–50 KB. */
export interface ScaleCorpus {
  readonly notes: TextList;
  readonly files: TextList;
  /** Whether these are real texts. */
  readonly isProse: boolean;
}

/** Environment variable with the default of {@linkcode openCorpus}'s directory. */
export const TEXTS_VARIABLE = "KB_BENCH_TEXTS";

/**
 * Opens the texts of a directory, as `texts.ts` writes them. Without one, generates texts with the statistics of
 * English; see `../corpus.ts`.
 */
export async function openCorpus(directory = Deno.env.get(TEXTS_VARIABLE)): Promise<ScaleCorpus> {
  if (directory === undefined) return generatedCorpus();
  const [notes, files] = await Promise.all(
    ["notes", "files"].map((name, index) => openLines(`${directory}/${name}.jsonl`, index + 1)),
  );
  return { notes: notes!, files: files!, isProse: true };
}

async function openLines(path: string, seed: number): Promise<TextList> {
  const starts = [0];
  let offset = 0;
  for await (const block of createReadStream(path, { highWaterMark: 2 ** 20 }) as AsyncIterable<Uint8Array>) {
    for (let end = block.indexOf(10); end >= 0; end = block.indexOf(10, end + 1)) {
      starts.push(offset + end + 1);
    }
    offset += block.length;
  }
  const length = starts.length - 1;
  const order = shuffled(length, seed);
  const file = openSync(path, "r");
  const decoder = new TextDecoder();
  return {
    length,
    at(index) {
      const line = order[index];
      if (line === undefined) throw new RangeError(`Cannot read text ${index} of ${path}: it has ${length}`);
      const start = starts[line]!;
      const bytes = new Uint8Array(starts[line + 1]! - start);
      readSync(file, bytes, 0, bytes.length, start);
      return JSON.parse(decoder.decode(bytes));
    },
  };
}

function shuffled(length: number, seed: number): Uint32Array {
  const random = seededRandom(seed);
  const order = Uint32Array.from({ length }, (_, index) => index);
  for (let index = length - 1; index > 0; index--) {
    const other = random.int(index + 1);
    [order[index], order[other]] = [order[other]!, order[index]!];
  }
  return order;
}

/** Number of generated texts of each kind: enough for a million chunks. */
const GENERATED = 400_000;
/** Generated texts at the end of each list have a generator of their own, so that they need not all be generated. */
const GENERATED_LAST = 2_000;

function generatedCorpus(): ScaleCorpus {
  const list = (kind: "note" | "file"): TextList => {
    const stored = generatedTexts(kind, 1);
    const last = generatedTexts(kind, 2);
    return {
      length: GENERATED,
      at: (index) => index < GENERATED - GENERATED_LAST ? stored(index) : last(GENERATED - 1 - index),
    };
  };
  return { notes: list("note"), files: list("file"), isProse: false };
}

/** Returns a function that generates texts up to an index. It is fastest in ascending order. */
function generatedTexts(kind: "note" | "file", seed: number): (index: number) => ScaleText {
  let texts = generate(kind, seed);
  let next = 0;
  let last: ScaleText | undefined;
  return (index) => {
    if (index < next - 1) {
      texts = generate(kind, seed);
      next = 0;
    }
    for (; next <= index; next++) last = texts.next().value;
    return last!;
  };
}

function* generate(kind: "note" | "file", seed: number): Generator<ScaleText, never> {
  const synthetic = syntheticText(seed);
  for (;;) {
    for (const { title, chunks } of synthetic.documents(kind === "note" ? 1 : 1_000)) {
      if (kind === "file" && chunks.length === 1) continue;
      const sections = chunks.map((chunk) => typeof chunk === "string" ? chunk : sectionOf(chunk));
      yield { title, text: sections.join("\n\n") };
    }
  }
}

function sectionOf({ text, headings = [] }: { text: string; headings?: readonly string[] }): string {
  return [...headings.map((heading) => `## ${heading}`), text].join("\n\n");
}
