import { gzipSync } from "node:zlib";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type ContainedFile, extract, ExtractionError } from "../../../src/extraction/mod.ts";
import { sampleTar, sampleZip } from "../../support/sample_archives.ts";

const LIMITS = { maxFiles: 10, maxFileBytes: 100_000, maxTotalBytes: 200_000 };

/** Unpacks an archive. Returns the text of each file, or the code of its error. */
async function unpack(
  bytes: Uint8Array<ArrayBuffer>,
  { filename = "a.zip", fileLimits = LIMITS } = {},
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const onFile = ({ path, bytes, error }: ContainedFile) => {
    files[path] = error ? error.code : new TextDecoder().decode(bytes);
    return Promise.resolve();
  };
  assertEquals(await extract({ bytes, filename, contentType: undefined }, { fileLimits, onFile }), null);
  return files;
}

function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

Deno.test("archive: the files of a ZIP, without folders, links and those of operating systems", async () => {
  const archive = sampleZip([
    { path: "docs/" },
    { path: "docs/a.txt", content: "kettle" },
    { path: "b.md", content: "stored", method: 0 },
    { path: "link", content: "/etc/passwd", mode: 0o120777 },
    { path: "__MACOSX/docs/._a.txt", content: "x" },
    { path: "docs/.DS_Store", content: "x" },
    { path: "docs\\Thumbs.db", content: "x" },
  ]);
  assertEquals(await unpack(archive), { "docs/a.txt": "kettle", "b.md": "stored" });
});

Deno.test("archive: a file of a ZIP that cannot be unpacked fails by itself", async () => {
  const archive = sampleZip([
    { path: "good.txt", content: "good" },
    { path: "encrypted.txt", content: "x", flags: 1 },
    { path: "lzma.txt", content: "x", method: 14 },
    { path: "bomb.txt", content: "0".repeat(50_000), declaredBytes: 10 },
    { path: "short.txt", content: "x", declaredBytes: 10 },
    { path: "large.txt", content: "0".repeat(100_001) },
  ]);
  assertEquals(await unpack(archive), {
    "good.txt": "good",
    "encrypted.txt": "encrypted",
    "lzma.txt": "unsupported_type",
    "bomb.txt": "damaged",
    "short.txt": "damaged",
    "large.txt": "too_large",
  });
});

Deno.test("archive: names in ZIP archives of old programs", async () => {
  const names: Record<string, string> = {
    "テスト資料.txt": "\x83e\x83X\x83g\x8e\x91\x97\xbf.txt",
    "Отчёт за год.txt": "\x8e\xe2\xe7\xf1\xe2 \xa7\xa0 \xa3\xae\xa4.txt",
    "Übergröße.txt": "\x9abergr\x94\xe1e.txt",
  };
  for (const [name, bytes] of Object.entries(names)) {
    assertEquals(Object.keys(await unpack(sampleZip([{ path: latin1(bytes) }]))), [name]);
  }
  const utf8 = sampleZip([{ path: "Übergröße.txt", flags: 0x800 }]);
  assertEquals(Object.keys(await unpack(utf8)), ["Übergröße.txt"]);
});

for (
  const [filename, pack] of [
    ["a.tar", (bytes: Uint8Array<ArrayBuffer>) => bytes],
    ["a.tar.gz", (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(gzipSync(bytes))],
  ] as const
) {
  Deno.test(`archive: the files of ${filename}, without links and devices`, async () => {
    const long = `${"long/".repeat(30)}name.txt`;
    const record = ` path=${long}\n`;
    const archive = sampleTar([
      { path: "docs/a.txt", content: "kettle" },
      { path: "docs", type: "5" },
      { path: "link", type: "2" },
      { path: "device", type: "3" },
      { path: "PaxHeader", content: `${record.length + 3}${record}`, type: "x" },
      { path: "cut", content: "long name" },
      { path: "././@LongLink", content: `${long}2\0`, type: "L" },
      { path: "cut", content: "longer name" },
      { path: "large.txt", content: "0".repeat(100_001) },
      { path: "._a.txt", content: "resource fork" },
    ]);
    assertEquals(await unpack(pack(archive), { filename }), {
      "docs/a.txt": "kettle",
      [long]: "long name",
      [`${long}2`]: "longer name",
      "large.txt": "too_large",
    });
  });
}

Deno.test("archive: a pax header of a million records without lengths ends at once", async () => {
  // Quadratic time would be minutes.
  const content = `${"0".repeat(2 ** 20 - 1000)}1 path=x\n`;
  const archive = sampleTar([{ path: "PaxHeader", content, type: "x" }, {
    path: "a.txt",
    content: "kettle",
  }]);
  assertEquals(await unpack(archive, { filename: "a.tar" }), { "a.txt": "kettle" });
});

Deno.test("archive: a TAR of Version 7 has no magic bytes", async () => {
  const archive = sampleTar([{ path: "a.txt", content: "kettle" }], { isOld: true });
  assertEquals(await unpack(archive, { filename: "backup" }), { "a.txt": "kettle" });
});

Deno.test("archive: a gzip file of one file, or of several parts", async () => {
  const parts = new Uint8Array([...gzipSync("one "), ...gzipSync("two")]);
  assertEquals(await unpack(parts, { filename: "log.txt.gz" }), { "log.txt": "one two" });
});

for (
  const [title, bytes, code] of [
    ["too many files", sampleZip(Array.from({ length: 11 }, (_, i) => ({ path: `${i}` }))), "too_large"],
    [
      "too many bytes",
      sampleZip([1, 2, 3].map((i) => ({ path: `${i}`, content: "0".repeat(90_000) }))),
      "too_large",
    ],
    ["a gzip bomb", new Uint8Array(gzipSync("0".repeat(1_000_000))), "too_large"],
    ["no directory", sampleZip([{ path: "a.txt", content: "x" }]).slice(0, 40), "damaged"],
    ["only encrypted files", sampleZip([{ path: "a.txt", content: "x", flags: 1 }]), "encrypted"],
    ["a truncated TAR", sampleTar([{ path: "a.txt", content: "x".repeat(600) }]).slice(0, 1024), "damaged"],
    ["a truncated gzip file", new Uint8Array(gzipSync("kettle")).slice(0, 15), "damaged"],
    ["only files of the system", sampleZip([{ path: ".DS_Store", content: "x" }]), "no_text"],
  ] as const
) {
  Deno.test(`archive: ${title} fails as ${code}`, async () => {
    const error = await assertRejects(() => unpack(bytes, { filename: "a" }), ExtractionError);
    assertEquals(error.code, code);
  });
}

Deno.test("archive: the padding of the last file of a TAR may be missing", async () => {
  const archive = sampleTar([{ path: "a.txt", content: "kettle" }]);
  assertEquals(await unpack(archive.slice(0, 518), { filename: "a.tar" }), { "a.txt": "kettle" });
});

Deno.test("archive: one with too many files is refused before the first one, with the limit", async () => {
  const entries = Array.from({ length: 12 }, (_, n) => ({ path: `${n}.txt`, content: `kettle ${n}` }));
  const folders = Array.from({ length: 20 }, (_, n) => ({ path: `folder ${n}/` }));
  for (const [filename, archive] of [["a.zip", sampleZip], ["a.tar", sampleTar]] as const) {
    let files = 0;
    const read = (entries: { path: string; content?: string }[]) =>
      extract(
        { bytes: archive(entries), filename, contentType: undefined },
        { fileLimits: LIMITS, onFile: () => Promise.resolve(void files++) },
      );
    const error = await assertRejects(() => read(entries), ExtractionError, "it holds more than 10 files");
    assertEquals([error.code, files], ["too_large", 0], filename);
    await read([...entries.slice(2), ...folders]);
    assertEquals(files, 10, filename);
  }
});

Deno.test("archive: is refused where no files are accepted", async () => {
  const bytes = sampleZip([{ path: "a.txt", content: "x" }]);
  const error = await assertRejects(
    () => extract({ bytes, filename: "a.zip", contentType: undefined }),
    ExtractionError,
  );
  assertEquals(error.code, "unsupported_type");
  assertStringIncludes(error.message, "not in the folder of a source");
  assertStringIncludes(error.message, "add it by itself with 'kb-mcp add'");
});
