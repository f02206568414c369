/** Extraction of real files in many formats, from `KB_TEST_DATA/files` outside of this repository. */
import { assert, assertEquals } from "@std/assert";
import { testDataFolder } from "../../scripts/test_data.ts";
import { chunkText, extract, ExtractionError } from "../../src/extraction/mod.ts";
import { extractDocument } from "../support/extract_document.ts";
import { testWithData } from "../support/test_data.ts";

/** Tiers of the manifest without extractable text. */
const NO_TEXT = ["no-text", "unsupported"];
/** Formats that are not supported yet. */
const UNSUPPORTED = ["pptx", "xlsx", "epub", "rtf"];

interface ManifestRow {
  readonly file: string;
  readonly format: string;
  readonly tier: string;
  /** A phrase of the text. */
  readonly expect: string;
}

function readManifest(): ManifestRow[] {
  const folder = testDataFolder();
  if (folder === undefined) return [];
  const manifest = Deno.readTextFileSync(`${folder}/files/manifest.tsv`);
  return manifest.trim().split("\n").slice(1).map((line) => {
    const [file = "", , format = "", tier = "", expect = ""] = line.split("\t");
    return { file, format, tier, expect };
  });
}

for (const { file, format, tier, expect } of readManifest()) {
  const isSupported = !NO_TEXT.includes(tier) && !UNSUPPORTED.includes(format);
  testWithData(`extract ${isSupported ? "finds the text of" : "rejects"} ${file}`, async (folder) => {
    const bytes = await Deno.readFile(`${folder}/files/${file}`);
    if (!isSupported) {
      const error = await extract({ bytes, filename: file, contentType: undefined }).catch((thrown) =>
        thrown
      );
      assert(error instanceof ExtractionError, "it must be rejected");
      assertEquals(error.code, format === "pdf" ? "no_text" : "unsupported_type");
      return;
    }
    const extracted = await extractDocument({ bytes, filename: file, contentType: undefined });
    // Line breaks inside the phrase do not matter.
    assert(extracted.text.replace(/\s+/g, " ").includes(expect), `${file} must contain ${expect}`);
    for (const chunk of chunkText(extracted, { maxTokens: 320, overlapTokens: 48 })) {
      assertEquals(
        extracted.text.slice(chunk.charStart, chunk.charEnd),
        chunk.text.slice(chunk.repeatedChars),
      );
    }
  });
}

testWithData("extract drops the navigation of a long page and keeps its text", async (folder) => {
  const file = "test_wikipedia.html";
  const bytes = await Deno.readFile(`${folder}/files/${file}`);
  const { text } = await extractDocument({ bytes, filename: file, contentType: undefined });
  for (const navigation of ["Jump to content", "Privacy policy", "Toggle the table of contents"]) {
    assert(!text.includes(navigation), navigation);
  }
  assert(text.length > 50_000);
});
