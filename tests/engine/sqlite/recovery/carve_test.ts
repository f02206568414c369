import { assertEquals } from "@std/assert";
import { carveRows } from "../../../../src/engine/sqlite/recovery/carve.ts";
import { PageFile } from "../../../../src/engine/sqlite/recovery/page_file.ts";
import { killedStore } from "../store/test_store.ts";

/** Returns the texts of the chunks that the pages hold. */
function chunkTexts(path: string): string[] {
  using pages = new PageFile(path);
  return [...carveRows(pages)].filter(({ values }) => values.length === 14).map(({ values }) =>
    String(values[3])
  );
}

Deno.test("rows are read from the pages of a database and the committed pages of its log", async () => {
  await using dir = await killedStore(30);
  assertEquals((await Deno.stat(dir.database)).size, 4096, "every row is in the log");
  const texts = chunkTexts(dir.database);
  assertEquals(
    // In the order of the pages.
    texts.map((text) => text.slice(0, 8).trim()).sort(),
    Array.from({ length: 30 }, (_, i) => `note ${i} a`.slice(0, 8).trim()).sort(),
  );
});

Deno.test("the log is not read beyond a frame with a wrong checksum", async () => {
  await using dir = await killedStore(30);
  const { size } = await Deno.stat(`${dir.database}-wal`);
  using log = await Deno.open(`${dir.database}-wal`, { write: true });
  await log.seek(Math.floor(size / 2), Deno.SeekMode.Start);
  await log.write(new Uint8Array([1, 2, 3]));
  const { length } = chunkTexts(dir.database);
  assertEquals(length > 5 && length < 25, true, `${length} rows`);
});

Deno.test("random bytes are not an error", async () => {
  const path = await Deno.makeTempFile();
  const bytes = new Uint8Array(16 * 4096).map((_, at) => (at * 2654435761) >>> 13);
  for (let page = 0; page < 16; page++) bytes[page * 4096] = 0x0d;
  await Deno.writeFile(path, bytes);
  using pages = new PageFile(path);
  for (const _ of carveRows(pages));
  await Deno.remove(path);
});
