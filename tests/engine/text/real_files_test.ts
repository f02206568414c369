/** Real files of many origins, which lie beside the repository and are no part of it. */
import { assert, assertEquals } from "@std/assert";
import { chunkText, extract, ExtractError } from "../../../src/engine/text/mod.ts";

const FOLDER = new URL("../../../../shared/data/files/", import.meta.url);
const NO_TEXT = ["no-text", "unsupported"];
/** Formats that are not read yet. */
const LATER = ["pptx", "xlsx", "epub", "rtf"];

interface Row {
  file: string;
  format: string;
  tier: string;
  expect: string;
}

function readManifest(): Row[] {
  let manifest: string;
  try {
    manifest = Deno.readTextFileSync(new URL("manifest.tsv", FOLDER));
  } catch {
    return [];
  }
  return manifest.trim().split("\n").slice(1).map((line) => {
    const [file = "", , format = "", tier = "", expect = ""] = line.split("\t");
    return { file, format, tier, expect };
  });
}

const rows = readManifest();
if (rows.length === 0) {
  // deno-lint-ignore no-console -- says why there is less to run
  console.log("Skipping the tests with real files: there is no ../shared/data/files beside the repository");
}

for (const { file, format, tier, expect } of rows) {
  const isRead = !NO_TEXT.includes(tier) && !LATER.includes(format);
  Deno.test(`extract ${isRead ? "finds the text of" : "refuses"} ${file}`, async () => {
    const bytes = await Deno.readFile(new URL(file, FOLDER));
    if (!isRead) {
      const error = await extract({ bytes, filename: file, contentType: undefined }).catch((thrown) =>
        thrown
      );
      assert(error instanceof ExtractError, "it must be refused");
      assertEquals(error.code, format === "pdf" ? "no_text" : "unsupported_type");
      return;
    }
    const found = await extract({ bytes, filename: file, contentType: undefined });
    // Where lines end in the text is of no importance to a phrase.
    assert(found.text.replace(/\s+/g, " ").includes(expect), `${file} must contain ${expect}`);
    for (const chunk of chunkText(found, { maxTokens: 320, overlapTokens: 48 })) {
      assertEquals(found.text.slice(chunk.charStart, chunk.charEnd), chunk.text);
    }
  });
}

Deno.test({
  name: "extract drops the navigation of a long page and keeps its text",
  ignore: rows.length === 0,
  fn: async () => {
    const file = "test_wikipedia.html";
    const bytes = await Deno.readFile(new URL(file, FOLDER));
    const { text } = await extract({ bytes, filename: file, contentType: undefined });
    for (const navigation of ["Jump to content", "Privacy policy", "Toggle the table of contents"]) {
      assert(!text.includes(navigation), navigation);
    }
    assert(text.length > 50_000);
  },
});
