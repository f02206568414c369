import { spawnWriter } from "../../../../src/engine/worker.ts";
import { assertEquals } from "@std/assert";
import { dataDirAt } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { getDocument, openForReading } from "../../../../src/engine/sqlite/store/mod.ts";
import { Writer } from "../../../../src/engine/sqlite/writer/writer.ts";
import { CHUNK, sha256 } from "../store/test_store.ts";

const NOTE = "---\ntitle: Tides\n---\nAt noon.";
const note = (text: string) => ({ text, contentHash: sha256(text), sizeBytes: text.length, tags: [] });

async function tempDir() {
  const path = await Deno.makeTempDir();
  return { ...dataDirAt(path), [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

const start = (dataDir: string) =>
  Writer.start({ dataDir, chunk: CHUNK, maxQueuedJobs: 100, spawn: spawnWriter });

function title(dir: ReturnType<typeof dataDirAt>): string | null | undefined {
  const db = openForReading(dir);
  try {
    return getDocument(db, 1)?.title;
  } finally {
    db.close();
  }
}

Deno.test("the writer reads front matter in new and updated notes", async () => {
  await using dir = await tempDir();
  {
    await using writer = await start(dir.path);
    await writer.call("createJob", note(NOTE));
    await writer.call("ingestNotes", 1);
    assertEquals(title(dir), "Tides");
  }
  await using writer = await start(dir.path);
  await writer.call("updateNote", 1, { text: NOTE.replace("Tides", "Waves") });
  assertEquals(title(dir), "Waves");
});

Deno.test("the writer reads front matter in a note queued before it started", async () => {
  await using dir = await tempDir();
  {
    await using writer = await start(dir.path);
    await writer.call("createJob", note(NOTE));
  }
  await using writer = await start(dir.path);
  await writer.call("ingestNotes", 1);
  assertEquals(title(dir), "Tides");
});
