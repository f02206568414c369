import type { ApiModelOptions } from "../../../../src/embeddings/mod.ts";
import { dataDirAt } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/open_for_reading.ts";
import { countVectors, type VectorCounts } from "../../../../src/engine/sqlite/store/vectors.ts";
import { Writer, type WriterOptions } from "../../../../src/engine/sqlite/writer/mod.ts";
import { writeNewDatabase } from "../../../support/new_database.ts";
import { pooledThreads } from "../../../support/pooled_threads.ts";
import { CHUNK, sha256 } from "../store/test_store.ts";

/** Settings for a model at `url`. */
export function embeddingOptions(url: string, options: Partial<ApiModelOptions> = {}): ApiModelOptions {
  return {
    type: "api",
    url,
    model: "test-model",
    queryPrefix: "",
    documentPrefix: "",
    batchSize: 8,
    concurrency: 2,
    timeoutMs: 30_000,
    ...options,
  };
}

/** Creates a temporary directory. */
export async function tempDir() {
  const path = await Deno.makeTempDir();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Starts a writer, with embeddings unless they are undefined. */
export function startWriter(
  dataDir: string,
  embeddings: ApiModelOptions | undefined,
  options: Partial<WriterOptions> = {},
): Promise<Writer> {
  writeNewDatabase(dataDir);
  return Writer.start({
    dataDir,
    chunk: CHUNK,
    maxQueuedJobs: 100_000,
    spawn: pooledThreads.writer,
    ...(embeddings && { embeddings }),
    ...options,
  });
}

/** Stores a note of one chunk for each text. */
export async function addNotes(writer: Writer, texts: readonly string[]): Promise<void> {
  await Promise.all(
    texts.map((text) =>
      writer.call("createJob", { text, contentHash: sha256(text), sizeBytes: text.length, tags: [] })
    ),
  );
  while ((await writer.call("ingestNotes", 64)).queuedNotes > 0);
}

/** Returns texts such as `note 7`. */
export function notes(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, i) => `note ${from + i}`);
}

/** Returns the counts of a set, on another connection. */
export function countsOf(dataDir: string, setId: number): VectorCounts {
  const db = openForReading(dataDirAt(dataDir));
  try {
    return countVectors(db, setId);
  } finally {
    db.close();
  }
}

/** Returns the rows of a query, on another connection. */
export function query(dataDir: string, sql: string): Record<string, unknown>[] {
  const db = openForReading(dataDirAt(dataDir));
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

/** Resolves when a condition is true; fails after a minute. */
export async function until(isMet: () => Promise<boolean> | boolean, condition: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; !await isMet();) {
    if (Date.now() > deadline) throw new Error(`Timed out waiting until ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Resolves when every chunk has a vector or was rejected. */
export async function embedded(dataDir: string, setId: number): Promise<VectorCounts> {
  await until(() => {
    const { embedded, refused, total } = countsOf(dataDir, setId);
    return embedded + refused === total;
  }, "every chunk has its vector");
  return countsOf(dataDir, setId);
}
