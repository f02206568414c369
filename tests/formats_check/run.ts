/**
 * `deno task formats-check [--only TEXT] [--folder PATH]`: compares the extracted text of 60 documents of Debian
 * packages with that of pdftotext, pandoc and trafilatura.
 *
 * Prints recall and precision of words for each document and the micro average, which must be at least 0.97 each.
 * `--only` selects the documents whose path contains a text, and lists the words that differ most. Packages are
 * downloaded to `--folder`, by default a folder of the user's cache.
 *
 * @module
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { print } from "../../scripts/print.ts";
import { extract } from "../../src/extraction/mod.ts";
import { documents } from "./documents.ts";
import { missingTools, referenceText } from "./reference.ts";
import { compareWords, type Overlap, precision, recall, surplusWords } from "./words.ts";

const MIN_SHARE = 0.97;
const EMPTY: Overlap = { expected: 0, extracted: 0, common: 0 };

const { values: { only, folder } } = parseArgs({
  options: { only: { type: "string" }, folder: { type: "string" } },
});
const missing = await missingTools();
if (missing.length > 0) {
  print(`skipped: not installed: ${missing.join(", ")}`);
  Deno.exit(0);
}
const cache = folder ??
  join(Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`, "kb-mcp-formats");
await Deno.mkdir(cache, { recursive: true });

const total = { expected: 0, extracted: 0, common: 0 };
const byTool = new Map<string, Overlap>();
let count = 0;
for await (const document of documents(cache)) {
  if (only !== undefined && !document.path.includes(only)) continue;
  count++;
  const reference = await referenceText(document);
  const text = await extractedText(document.bytes, document.filename);
  const overlap = compareWords(reference, text);
  add(total, overlap);
  byTool.set(document.tool, add({ ...(byTool.get(document.tool) ?? EMPTY) }, overlap));
  print(`${shares(overlap)}  ${document.tool} ${document.path.slice(cache.length + 1)}`);
  if (only !== undefined) {
    print(`  missing: ${surplusWords(reference, text, 20).join(" ")}`);
    print(`  added: ${surplusWords(text, reference, 20).join(" ")}`);
  }
}
for (const [tool, overlap] of byTool) print(`${shares(overlap)}  all of ${tool}`);
print(`${shares(total)}  micro average of ${count} documents, ${total.expected} words`);
Deno.exit(count > 0 && recall(total) >= MIN_SHARE && precision(total) >= MIN_SHARE ? 0 : 1);

async function extractedText(bytes: Uint8Array<ArrayBuffer>, filename: string): Promise<string> {
  try {
    const extracted = await extract({ bytes, filename, contentType: undefined });
    return extracted?.text ?? "";
  } catch (error) {
    print(`  ${error instanceof Error ? error.message : error}`);
    return "";
  }
}

function shares(overlap: Overlap): string {
  return `recall ${recall(overlap).toFixed(4)} precision ${precision(overlap).toFixed(4)}`;
}

function add(sum: { -readonly [Key in keyof Overlap]: number }, overlap: Overlap): Overlap {
  sum.expected += overlap.expected;
  sum.extracted += overlap.extracted;
  sum.common += overlap.common;
  return sum;
}
