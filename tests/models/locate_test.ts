import { resolve } from "node:path";
import { assertEquals } from "@std/assert";
import { testWithModel } from "../support/real_model.ts";
import {
  DEFAULT_MODEL,
  findModel,
  listModelFiles,
  locateModel,
  programFolders,
  sha256OfFile,
} from "../../src/models/mod.ts";

Deno.test("a model of the data directory is found under its name in any case", async () => {
  const dataDir = await Deno.makeTempDir();
  try {
    assertEquals(await locateModel("heron", { dataDir }), undefined);
    await Deno.mkdir(`${dataDir}/models/.staging-1`, { recursive: true });
    await Deno.writeTextFile(`${dataDir}/models/.staging-1/heron.kbmodel`, "");
    await Deno.writeTextFile(`${dataDir}/models/notes.txt`, "");
    await Deno.mkdir(`${dataDir}/models/heron.kbmodel`);
    assertEquals(await locateModel("heron", { dataDir }), undefined);
    await Deno.remove(`${dataDir}/models/heron.kbmodel`);
    await Deno.writeTextFile(`${dataDir}/models/Heron.kbmodel`, "");
    const path = `${dataDir}/models/Heron.kbmodel`;
    assertEquals(await locateModel("heron", { dataDir }), { path });
    assertEquals(await locateModel("../models/heron", { dataDir }), undefined);
    assertEquals(await listModelFiles(`${dataDir}/models`), [{ name: "Heron", path }]);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("a checkout looks for the models of the program in its folder models", () => {
  assertEquals(programFolders().map((folder) => resolve(folder)), [resolve("models")]);
});

Deno.test("models of the catalogue are found under their names in any case", () => {
  assertEquals(findModel("ALL-minilm-l6-v2")?.name, "all-MiniLM-L6-v2");
  assertEquals(findModel("all"), undefined);
});

testWithModel("the model of the checkout is the pinned one", async () => {
  const located = await locateModel(DEFAULT_MODEL, { dataDir: "unused" });
  assertEquals(await sha256OfFile(located?.path ?? ""), findModel(DEFAULT_MODEL)?.sha256);
});
