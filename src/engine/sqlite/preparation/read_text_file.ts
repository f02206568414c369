import { loadDetector, loadLanguages } from "../../../analysis/mod.ts";
import { chunkText, ExtractionError, extractSmallText } from "../../../extraction/mod.ts";
import type { PreparedText, TextDocument, TextFile } from "../../knowledge_base/mod.ts";
import {
  analyzeText,
  derivedTitleOf,
  fileTitle,
  prepareChunk,
  sampleOf,
  storable,
} from "../store/read_only.ts";

/**
 * Reads a Markdown or plain text file, as the extraction process does, and computes its index.
 *
 * Threat: the file may be anything. Only UTF-8 is read, with the same code as a note, which is not read in a process of
 * its own either.
 *
 * @returns Undefined for any other file, and for one that cannot become a document.
 */
export async function readTextFile(
  { bytes, filename, contentType, title, chunk }: TextFile,
): Promise<TextDocument | undefined> {
  const file = { bytes: bytes as Uint8Array<ArrayBuffer>, filename, contentType };
  const text = await extractSmallText(file).catch((error) => {
    if (error instanceof ExtractionError) return undefined;
    throw error;
  });
  if (!text) return undefined;
  const { docType, metadata, tags, warnings } = text;
  const chunks = chunkText(text, chunk);
  const documentTitle = title ?? fileTitle(text.title, filename ?? null);
  return {
    docType,
    tags,
    ...(text.title !== undefined && { title: text.title }),
    // As after the transfer from a process: dates are text.
    ...(metadata !== undefined && { metadata: JSON.parse(JSON.stringify(metadata)) }),
    ...(warnings && warnings.length > 0 && { warnings }),
    chunks,
    prepared: await prepareText(documentTitle, chunks),
  };
}

async function prepareText(title: string, chunks: TextDocument["chunks"]): Promise<PreparedText> {
  const texts = chunks.map(({ text }) => storable(text));
  const sample = sampleOf(title, texts);
  let analysis = analyzeText(sample);
  // The stemmers only for text that has stems.
  for (const load of [loadDetector, loadLanguages]) {
    if (analysis.version !== 0) break;
    await load();
    analysis = analyzeText(sample);
  }
  const { language, stemmed, version } = analysis;
  return {
    title,
    derivedTitle: derivedTitleOf(title, stemmed),
    language,
    stemmed,
    version,
    chunks: chunks.map(({ headingPath }, index) =>
      prepareChunk(texts[index] ?? "", headingPath.map(storable), stemmed)
    ),
  };
}
