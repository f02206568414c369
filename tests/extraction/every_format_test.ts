/** One generated file of each format: its text is found, and damaged copies of it end in an error or a text. */
import { assert } from "@std/assert";
import { type ContainedFile, extract, ExtractionError } from "../../src/extraction/mod.ts";
import { corrupt } from "../support/corrupt.ts";
import { seededRandom } from "../support/random.ts";
import { sampleFiles } from "../support/sample_formats.ts";

const PHRASE = "The quick brown fox jumps";
const LIMITS = { maxFiles: 10, maxFileBytes: 2 ** 20, maxTotalBytes: 2 ** 20 };

/** Extracts a file, or the files of an archive. */
async function textOf(filename: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const contained: ContainedFile[] = [];
  const extracted = await extract({ bytes, filename, contentType: undefined }, {
    fileLimits: LIMITS,
    onFile: (file) => {
      contained.push(file);
      return Promise.resolve();
    },
  });
  if (extracted !== null) return extracted.text;
  return contained.map((file) => "bytes" in file ? new TextDecoder().decode(file.bytes) : "").join("\n");
}

for (const { filename, bytes } of sampleFiles(PHRASE)) {
  Deno.test(`extract finds the text of ${filename}`, async () => {
    assert((await textOf(filename, bytes.slice())).includes(PHRASE));
  });

  Deno.test(`extract reads or refuses damaged copies of ${filename}`, async () => {
    const random = seededRandom(1);
    for (const damage of ["truncated", "flipped", "truncated", "flipped", "flipped"] as const) {
      try {
        await textOf(filename, corrupt(bytes, damage, random));
      } catch (error) {
        if (!(error instanceof ExtractionError)) throw error;
      }
    }
  });
}
