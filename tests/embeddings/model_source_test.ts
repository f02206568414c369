import { assertEquals, assertMatch } from "@std/assert";
import { type ModelFiles, ModelSource } from "../../src/embeddings/mod.ts";
import { tempDir } from "../engine/sqlite/backfill/support.ts";
import { tinyModel } from "../support/tiny_model.ts";

const SETTINGS = { type: "builtin", model: "builtin", isDefault: true, mayDownload: true } as const;
const FORBIDDEN = "The model tiny is not installed: run kb-mcp model install tiny";

/** Files in a directory whose downloads fail. */
function files(directory: string, download?: () => Promise<void>): ModelFiles & { path: string } {
  const path = `${directory}/tiny.kbmodel`;
  return {
    name: "tiny",
    path,
    locate: async () => await exists(path) ? path : undefined,
    download: download ?? (() => Promise.reject(new Error(FORBIDDEN))),
  };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("an installed model is found, with the fields of its file", async () => {
  await using dir = await tempDir();
  const installed = files(dir.path);
  const bytes = tinyModel({ prefixes: { query: "query: ", document: "passage: " } });
  await Deno.writeFile(installed.path, bytes);
  const source = new ModelSource({ settings: SETTINGS, files: installed });
  assertEquals(await source.find(), {
    ...SETTINGS,
    name: "tiny",
    path: installed.path,
    checksum: bytes.subarray(-32).toHex(),
    queryPrefix: "query: ",
    documentPrefix: "passage: ",
  });
});

Deno.test("a missing model is downloaded", async () => {
  await using dir = await tempDir();
  const downloads: string[] = [];
  const missing = files(dir.path, async () => {
    downloads.push(source.problem);
    await Deno.writeFile(missing.path, tinyModel());
  });
  const source: ModelSource = new ModelSource({ settings: SETTINGS, files: missing });
  assertMatch(source.problem, /tiny is not installed: run kb-mcp model install tiny$/);
  assertEquals((await source.wait(new AbortController().signal))?.name, "tiny");
  assertEquals(downloads, ["The embedding model tiny is being downloaded"]);
});

Deno.test("a download that fails is reported once and repeated with a growing delay", async () => {
  await using dir = await tempDir();
  let clock = 0;
  const attempts: number[] = [];
  const problems: unknown[] = [];
  const missing = files(dir.path, () => {
    attempts.push(clock);
    return Promise.reject(new Error(FORBIDDEN));
  });
  const abort = new AbortController();
  const source = new ModelSource({
    settings: SETTINGS,
    files: missing,
    onProblem: (error) => problems.push(error),
    delay: (ms) => {
      clock += ms / 1000;
      if (attempts.length === 4) abort.abort();
      return Promise.resolve();
    },
  });
  assertEquals(await source.wait(abort.signal), undefined);
  assertEquals(attempts, [0, 60, 180, 420]);
  assertEquals([problems.length, source.problem], [1, FORBIDDEN]);
});

Deno.test("a model that is installed while the download fails is used", async () => {
  await using dir = await tempDir();
  const missing = files(dir.path);
  const source = new ModelSource({
    settings: SETTINGS,
    files: missing,
    delay: async () => await Deno.writeFile(missing.path, tinyModel()),
  });
  assertEquals((await source.wait(new AbortController().signal))?.path, missing.path);
});

Deno.test("a file that is no model is reported", async () => {
  await using dir = await tempDir();
  const wrong = files(dir.path);
  await Deno.writeTextFile(wrong.path, "<html>404</html>");
  const problems: unknown[] = [];
  const source = new ModelSource({
    settings: SETTINGS,
    files: wrong,
    onProblem: (error) => problems.push(error),
  });
  assertEquals([await source.find(), await source.find(), problems.length], [undefined, undefined, 1]);
  assertMatch(source.problem, /the file must start with KBMODEL1.*: run kb-mcp model install tiny$/);
});

Deno.test("an error of the operating system is reported without its path", async () => {
  await using dir = await tempDir();
  const failing = files(dir.path, async () => void await Deno.readFile(dir.path));
  const problems: unknown[] = [];
  const source = new ModelSource({
    settings: SETTINGS,
    files: failing,
    onProblem: (error) => problems.push(error),
  });
  assertEquals(await source.download(new AbortController().signal), undefined);
  assertMatch(
    source.problem,
    /tiny cannot be loaded \(its file cannot be read\): run kb-mcp model install tiny$/,
  );
  assertMatch(String((problems[0] as Error).cause), /readfile/);
});
