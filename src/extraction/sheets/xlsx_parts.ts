import type { OoxmlPackage } from "../ooxml/package.ts";
import type { XmlElement } from "../xml/element.ts";
import { type SheetComment, withoutAuthor } from "./workbook.ts";
import { unescapeText } from "./xlsx_sheet.ts";

/** Text that Excel writes into the comment for older versions, in place of a thread. */
const THREAD_PLACEHOLDER = /^\[Threaded comment\]/i;

/** Reads the comments and threads of a sheet (ECMA-376 part 1 §18.7, [MS-XLSX] §2.6.205). */
export function readComments(source: OoxmlPackage, sheet: string): SheetComment[] {
  const comments: SheetComment[] = [];
  const threads: SheetComment[] = [];
  for (const { type, target } of source.relationships(sheet).values()) {
    if (type === "comments") {
      const root = source.tryRead(target);
      const authors = root?.child("x:authors")?.elements.map((author) => author.text) ?? [];
      for (const comment of root?.child("x:commentList")?.elements ?? []) {
        const author = authors[Number(comment.get("authorId"))];
        const text = unescapeText(comment.descendants("x:t").map((run) => run.text).join(""));
        comments.push({ cell: comment.get("ref") ?? "", author, text: withoutAuthor(text, author) });
      }
    } else if (type === "threadedComment") {
      for (const comment of source.tryRead(target)?.elements ?? []) {
        const text = comment.elements.find(({ name }) => name === "text" || name.endsWith(":text"))?.text ??
          "";
        threads.push({ cell: comment.get("ref") ?? "", text });
      }
    }
  }
  const isShown = ({ text }: SheetComment) => threads.length === 0 || !THREAD_PLACEHOLDER.test(text);
  return [...comments.filter(isShown), ...threads];
}

/** Returns the texts of the shapes of a sheet, and the titles of its charts. */
export function readDrawings(source: OoxmlPackage, sheet: string): string[] {
  const texts: string[] = [];
  for (const { type, target } of source.relationships(sheet).values()) {
    if (type !== "drawing") continue;
    for (const paragraph of source.tryRead(target)?.descendants("a:p") ?? []) texts.push(runs(paragraph));
    for (const related of source.relationships(target).values()) {
      if (related.type !== "chart") continue;
      texts.push(...(source.tryRead(related.target)?.descendants("c:title") ?? []).map(runs));
    }
  }
  return texts;
}

function runs(element: XmlElement): string {
  return element.descendants("a:t").map((run) => run.text).join("");
}
