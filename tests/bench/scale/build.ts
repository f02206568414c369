/**
 * Builds data directories with many chunks in process, without the queue of jobs and without syncing:
 * `deno run -A tests/bench/scale/build.ts DIRECTORY [--chunks 10000,100000,500000] [--texts DIRECTORY]`.
 *
 * Each size gets a subdirectory with `kb.db` and `queries.json`. Two of five chunks are notes of one paragraph, the
 * others belong to files of 5–50 KB. The texts of a size include those of smaller ones.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { print } from "../../../scripts/print.ts";
import { loadLanguages } from "../../../src/analysis/mod.ts";
import { chunkText } from "../../../src/extraction/mod.ts";
import { columnsStep, dataDirAt, openForWriting, timestamp } from "../../../src/engine/sqlite/store/mod.ts";
import { insertDocument } from "../../../src/engine/sqlite/store/documents.ts";
import { mergeTags } from "../../../src/engine/sqlite/store/tags.ts";
import { SymbolLearning } from "../../../src/engine/sqlite/writer/symbol_learning.ts";
import { openCorpus, type ScaleCorpus, type ScaleText } from "./corpus.ts";
import { scaleQueries } from "./queries.ts";

const NOTE_SHARE = 0.4;
const CHUNK = { maxTokens: 320, overlapTokens: 48 };
/** Documents in a transaction. */
const BATCH = 500;

/** Progress of a build, to continue with a larger size. */
interface Progress {
  chunks: number;
  noteChunks: number;
  notes: number;
  files: number;
}

/** Builds the sizes that do not exist yet, and returns their directories. */
export async function buildDataDirectories(
  directory: string,
  { chunks, texts }: { readonly chunks: readonly number[]; readonly texts?: string | undefined },
): Promise<string[]> {
  const corpus = await openCorpus(texts);
  const directories: string[] = [];
  let previous: string | undefined;
  for (const size of chunks.toSorted((a, b) => a - b)) {
    const target = `${directory}/${size % 1000 === 0 ? `${size / 1000}k` : size}`;
    if (!await exists(`${target}/queries.json`)) await build(target, { size, previous, corpus });
    directories.push(target);
    previous = target;
  }
  return directories;
}

async function build(
  target: string,
  { size, previous, corpus }: { size: number; previous: string | undefined; corpus: ScaleCorpus },
): Promise<void> {
  const started = performance.now();
  await Deno.remove(target, { recursive: true }).catch(() => {});
  await Deno.mkdir(target, { recursive: true, mode: 0o700 });
  let progress: Progress = { chunks: 0, noteChunks: 0, notes: 0, files: 0 };
  if (previous !== undefined) {
    await Deno.copyFile(`${previous}/kb.db`, `${target}/kb.db`);
    progress = JSON.parse(await Deno.readTextFile(`${previous}/progress.json`));
  }
  await loadLanguages();
  const db = openForWriting(dataDirAt(target), timestamp);
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000");
  // As in the writer.
  const symbols = new SymbolLearning(db);
  while (progress.chunks < size) {
    while (symbols.step(false));
    db.exec("BEGIN");
    for (let n = 0; n < BATCH && progress.chunks < size; n++) {
      const isNote = progress.noteChunks <= NOTE_SHARE * progress.chunks;
      const text = isNote ? corpus.notes.at(progress.notes) : corpus.files.at(progress.files);
      const added = store(text, isNote);
      progress.chunks += added;
      if (isNote) progress.noteChunks += added;
      progress[isNote ? "notes" : "files"]++;
    }
    db.exec("COMMIT");
  }
  // The maintenance of an idle engine.
  while (columnsStep(db));
  db.exec("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  await Deno.writeTextFile(`${target}/progress.json`, JSON.stringify(progress));
  await Deno.writeTextFile(`${target}/queries.json`, JSON.stringify(scaleQueries(corpus), null, 1));
  const seconds = (performance.now() - started) / 1000;
  print(`${target}: ${progress.notes} notes and ${progress.files} files in ${seconds.toFixed(0)} s`);

  function store({ title, text }: ScaleText, isNote: boolean): number {
    const chunks = chunkText({ text, markup: "markdown", pageStarts: undefined }, CHUNK);
    const number = progress.notes + progress.files;
    const bytes = new TextEncoder().encode(text);
    const id = insertDocument(db, {
      title,
      titleDerived: false,
      docType: isNote ? "note" : "markdown",
      contentHash: createHash("sha256").update(bytes).digest("hex"),
      sizeBytes: bytes.length,
      metadata: undefined,
      chunks,
      ...(isNote && { noteText: text }),
    }, {
      sourcePath: isNote ? undefined : `manuals/${progress.files}.md`,
      createdAt: new Date(Date.UTC(2025, 0, 1) + number * 60_000).toISOString(),
      actor: undefined,
    });
    const collection = `collection:${isNote ? "dictionary" : "manuals"}`;
    mergeTags(db, id, { requested: [collection, `topic-${number % 100}`], own: [] });
    return chunks.length;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

if (import.meta.main) {
  const { values, positionals: [directory] } = parseArgs({
    args: Deno.args,
    options: { chunks: { type: "string", default: "10000,100000,500000" }, texts: { type: "string" } },
    allowPositionals: true,
  });
  if (directory === undefined) {
    throw new Error("usage: build.ts DIRECTORY [--chunks N,…] [--texts DIRECTORY]");
  }
  await buildDataDirectories(directory, {
    chunks: values.chunks.split(",").map(Number),
    texts: values.texts,
  });
}
