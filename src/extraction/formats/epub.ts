import { documentTitle } from "../document_title.ts";
import { chapterMarkdown } from "../epub/chapter.ts";
import { chapterTitles } from "../epub/contents.ts";
import { EpubPackage } from "../epub/package.ts";
import { damaged, ExtractionError, onlyPictures } from "../errors.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { definedFields, isoDate } from "../properties.ts";
import { cleanTitle, firstHeading } from "../title.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import type { XmlElement } from "../xml/element.ts";

/** Length of the pages before the first chapter, which name the author. */
const TITLE_PAGES_CHARS = 5_000;

/** Converts an e-book to Markdown: its chapters in reading order, without the table of contents. */
export async function extractEpub(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const book = await EpubPackage.open(file, name);
  const writer = new MarkdownWriter(name, context.maxTextChars);
  const titles = chapterTitles(book);
  let missing = 0;
  for (const { path, properties, mediaType } of book.spine) {
    if (properties.includes("nav") || !/html|xml|^$/.test(mediaType) || /svg/.test(mediaType)) continue;
    const source = book.get(path);
    if (!source) {
      missing++;
      continue;
    }
    try {
      writer.block(chapterMarkdown(source, { title: titles.get(path), name }));
    } catch (error) {
      if (error instanceof ExtractionError) throw error;
      throw damaged(name, "a chapter is nested too deeply, or damaged", error);
    }
  }
  const chapters = writer.text;
  if (chapters === "") {
    if (missing > 0) throw damaged(name, "its chapters are missing. Upload the original e-book");
    throw onlyPictures(name);
  }
  const metadata = readMetadata(book.document.child("opf:metadata"));
  const text = withAuthor(chapters, metadata["author"]);
  return {
    docType: "epub",
    title: documentTitle(metadata["title"], file.filename) ?? firstHeading(chapters),
    text,
    markup: "markdown",
    pageStarts: undefined,
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    tags: [],
    ...(missing > 0 ? { warnings: [`${missing} of the chapters are missing in the file`] } : {}),
  };
}

/**
 * Adds the author where the first pages do not name all of them, as behind a cover that is a picture: a search for a
 * name finds only text.
 */
function withAuthor(text: string, author: string | undefined): string {
  if (author === undefined) return text;
  const start = text.slice(0, TITLE_PAGES_CHARS).toLowerCase();
  return author.toLowerCase().split(", ").every((name) => start.includes(name))
    ? text
    : `${author}\n\n${text}`;
}

/** Reads the Dublin Core elements of a package document (EPUB 3.3 §5.5.3); older ones have a wrapper around them. */
function readMetadata(metadata: XmlElement | undefined): Record<string, string> {
  const valuesOf = (name: string) =>
    (metadata?.descendants(`dc:${name}`, `dc:${name[0]!.toUpperCase()}${name.slice(1)}`) ?? [])
      .map((element) => cleanTitle(element.text)).filter((value) => value !== undefined);
  const modified = metadata?.descendants("opf:meta").find((meta) =>
    meta.get("property") === "dcterms:modified"
  );
  return definedFields({
    title: valuesOf("title")[0],
    author: valuesOf("creator").join(", ") || undefined,
    keywords: valuesOf("subject").join(", ") || undefined,
    language: valuesOf("language")[0],
    created: valuesOf("date").map((date) => isoDate(date)).find((date) => date !== undefined),
    modified: isoDate(modified?.text),
  });
}
