import { assert, assertEquals } from "@std/assert";
import { Extractor } from "../../../src/engine/ingestion/mod.ts";
import { ExtractionError } from "../../../src/extraction/mod.ts";
import { extractionCommand } from "../../../src/extraction_process/mod.ts";
import { silentLogger } from "../../../src/telemetry/mod.ts";
import { sampleDocx, samplePdf } from "../../support/samples.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

/** Codes of errors that a file may cause. `internal` is an exception that no reader expects, or a crash. */
const EXPECTED_CODES = [
  "unsupported_type",
  "no_text",
  "unreadable_text",
  "too_large",
  "damaged",
  "encrypted",
  "timeout",
];

/**
 * The extraction process turns every file into chunks in order, or into an error that says what is wrong with
 * the file, and survives.
 */
export const extraction: FuzzTarget = {
  name: "extraction",
  iterations: 75,
  maxBytes: 16_384,
  seeds: [
    samplePdf(["First page", "Second page"], { Title: "Report" }),
    await sampleDocx([{ text: "Heading", style: "Heading1" }, "Text of the document."]),
    ...utf8([
      "<!doctype html><html><head><title>T</title></head><body><h1>A</h1><table><tr><td>x</table><pre>y</body>",
      "---\ntags: [x]\n---\n# Heading\n\n- item\n\n```\ncode\n```\n",
    ]),
  ],
  dictionary: utf8([
    "endobj\n",
    "stream\n",
    "/Type /Page",
    "1 0 R",
    "<<",
    ">>",
    "startxref\n0",
    "PK\x03\x04",
    "<w:p>",
    "<table>",
    "<svg>",
    "<!--",
    "]]>",
    "&#x202e;",
    "\ufeff",
  ]),
  async open(resources) {
    const path = await Deno.makeTempFile();
    resources.defer(() => Deno.remove(path));
    const command = await extractionCommand({ maxMemoryBytes: 2 ** 30 });
    const extractor = resources.use(new Extractor({ command, timeoutMs: 10_000, log: silentLogger }));
    const chunk = { maxTokens: 320, overlapTokens: 48 };
    return async (input) => {
      await Deno.writeFile(path, input);
      const task = { path, filename: undefined, contentType: undefined, chunk };
      try {
        const { chunks = [] } = await extractor.run(task) ?? {};
        assert(chunks.length > 0, "a document has chunks");
        chunks.forEach(({ text, repeatedChars = 0, charStart, charEnd }, index) => {
          assertEquals(charEnd - charStart, text.length - repeatedChars);
          assert(charStart >= (chunks[index - 1]?.charStart ?? 0), "chunks are in order");
        });
      } catch (error) {
        if (!(error instanceof ExtractionError)) throw error;
        assert(EXPECTED_CODES.includes(error.code), `${error.code}: ${error.message} ${error.cause}`);
      }
    };
  },
};
