import { assert, assertEquals, assertRejects } from "@std/assert";
import { installOcrFile, installOcrLanguage, listOcrLanguages, ModelError } from "../../src/models/mod.ts";
import { ENGLISH_DATA } from "../support/ocr_language.ts";

/** A data directory, and a folder for files to install. */
async function dataDirectory() {
  const path = await Deno.makeTempDir();
  return {
    path,
    models: `${path}/models`,
    installed: async () => (await listOcrLanguages(path)).map(({ name }) => name),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** An archive in the form of a package of npm, with one member. */
async function pack(name: string, content: Uint8Array): Promise<Uint8Array> {
  const header = new Uint8Array(512);
  const write = (at: number, text: string) => header.set(new TextEncoder().encode(text), at);
  write(0, name);
  write(124, content.length.toString(8).padStart(11, "0"));
  write(257, "ustar");
  const padding = new Uint8Array((512 - content.length % 512) % 512 + 1024);
  const stream = new Blob([header, new Uint8Array(content), padding]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

Deno.test("language data are installed from a compressed file, and unpacked", async () => {
  await using directory = await dataDirectory();
  const path = `${directory.path}/eng.traineddata.gz`;
  await Deno.copyFile(ENGLISH_DATA, path);
  const { name, bytes } = await installOcrFile(path, { folder: directory.models });
  assertEquals(name, "ocr-eng");
  assert(bytes > 1e6);
  assertEquals(await directory.installed(), ["ocr-eng"]);
});

Deno.test("language data are installed from a package of npm", async () => {
  await using directory = await dataDirectory();
  const path = `${directory.path}/tesseract.js-data-eng-1.0.0.tgz`;
  const member = "package/4.0.0_best_int/eng.traineddata.gz";
  await Deno.writeFile(path, await pack(member, await Deno.readFile(ENGLISH_DATA)));
  assertEquals((await installOcrFile(path, { folder: directory.models })).name, "ocr-eng");
});

for (
  const [what, name, content] of [
    ["other data", "eng.traineddata", "no language data"],
    ["an empty file", "eng.traineddata", ""],
    ["damaged compression", "eng.traineddata.gz", "\x1f\x8bdamaged"],
    ["another archive", "files.tgz", "\x1f\x8bdamaged"],
  ] as const
) {
  Deno.test(`installation refuses ${what} and leaves nothing behind`, async () => {
    await using directory = await dataDirectory();
    const path = `${directory.path}/${name}`;
    await Deno.writeFile(path, Uint8Array.from(content, (letter) => letter.charCodeAt(0)));
    const error = await assertRejects(() => installOcrFile(path, { folder: directory.models }), ModelError);
    assertEquals(error.code, "invalid_model");
    assertEquals(await directory.installed(), []);
  });
}

Deno.test("downloaded language data must have the pinned checksum", async () => {
  await using directory = await dataDirectory();
  const error = await assertRejects(
    () =>
      installOcrLanguage("ocr-eng", {
        folder: directory.models,
        fetch: () => Promise.resolve(new Response("other data")),
      }),
    ModelError,
  );
  assertEquals(error.code, "wrong_checksum");
  assertEquals(await directory.installed(), []);
});

Deno.test("language data are downloaded by name", async () => {
  await using directory = await dataDirectory();
  const requested: string[] = [];
  const fetch = async (url: string | URL | Request) => {
    requested.push(String(url));
    return new Response(await Deno.readFile(ENGLISH_DATA));
  };
  await installOcrLanguage("OCR-eng", { folder: directory.models, fetch: fetch as typeof globalThis.fetch });
  assertEquals(requested.length, 1);
  assertEquals(await directory.installed(), ["ocr-eng"]);
});
