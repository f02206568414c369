/** Extraction of real files in many formats, from `KB_TEST_DATA/files` outside of this repository. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { testDataFolder } from "../../scripts/test_data.ts";
import { chunkText, type ContainedFile, extract, ExtractionError } from "../../src/extraction/mod.ts";
import { extractDocument } from "../support/extract_document.ts";
import { testWithData } from "../support/test_data.ts";

/** Tiers of the manifest without extractable text. */
const NO_TEXT = ["no-text", "unsupported"];
/** Formats that the manifest still lists as unsupported, with a phrase of the file. */
const READ_SINCE: Readonly<Record<string, string>> = {
  xls: "6ff4173b-42a5-4784-9b19-f49caff4d93d",
  msg: "This is the body of the test email message",
};

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

/** As the manifest compares: NFKC, white space folded, without regard to case. */
function folded(text: string): string {
  return text.normalize("NFKC").replace(/\s+/g, " ").toLowerCase();
}

for (const { file, format, tier, expect } of readManifest()) {
  const phrase = READ_SINCE[format] ?? (NO_TEXT.includes(tier) ? undefined : expect);
  if (format === "zip") continue; // see the next test
  testWithData(
    `extract ${phrase === undefined ? "rejects" : "finds the text of"} ${file}`,
    async (folder) => {
      const bytes = await Deno.readFile(`${folder}/files/${file}`);
      const source = { bytes, filename: file, contentType: undefined };
      if (phrase === undefined) {
        const error = await assertRejects(() => extract(source), ExtractionError);
        assertEquals(error.code, format === "pdf" ? "no_text" : "unsupported_type");
        return;
      }
      const extracted = await extractDocument(source);
      assert(folded(extracted.text).includes(folded(phrase)), `${file} must contain ${phrase}`);
      for (const chunk of chunkText(extracted, { maxTokens: 320, overlapTokens: 48 })) {
        assertEquals(
          extracted.text.slice(chunk.charStart, chunk.charEnd),
          chunk.text.slice(chunk.repeatedChars),
        );
      }
    },
  );
}

testWithData("extract passes on the files of an archive", async (folder) => {
  const bytes = await Deno.readFile(`${folder}/files/test_files.zip`);
  const paths: string[] = [];
  const fileLimits = { maxFiles: 100, maxFileBytes: 1e7, maxTotalBytes: 1e8 };
  const onFile = (file: ContainedFile) => {
    paths.push(file.path);
    return Promise.resolve();
  };
  assertEquals(
    await extract({ bytes, filename: "test_files.zip", contentType: undefined }, { onFile, fileLimits }),
    null,
  );
  assert(paths.some((path) => path.endsWith(".docx")), paths.join());
});

testWithData("extract drops the navigation of a long page and keeps its text", async (folder) => {
  const file = "test_wikipedia.html";
  const bytes = await Deno.readFile(`${folder}/files/${file}`);
  const { text } = await extractDocument({ bytes, filename: file, contentType: undefined });
  for (const navigation of ["Jump to content", "Privacy policy", "Toggle the table of contents"]) {
    assert(!text.includes(navigation), navigation);
  }
  assert(text.length > 50_000);
});
