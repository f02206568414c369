import { oneLine } from "../../whitespace.ts";
import type { XmlElement } from "../../xml/element.ts";
import type { OoxmlPackage } from "../package.ts";

/** Returns the comments on a slide with their authors, of both formats that PowerPoint has had. */
export function commentTexts(source: OoxmlPackage, path: string): string[] {
  const comments = source.tryRead(source.related(path, "comments"));
  if (!comments) return [];
  const authors = authorNames(source);
  return comments.descendants("p:cm", "p188:cm", "p188:reply").map((comment) => {
    const text = (comment.child("p:text") ?? comment.child("p188:txBody"))?.text.trim() ?? "";
    const author = authors.get(comment.get("authorId") ?? "");
    return text === "" ? "" : `Comment${author ? ` by ${author}` : ""}: ${text}`;
  }).filter((text) => text !== "");
}

function authorNames(source: OoxmlPackage): Map<string, string> {
  const roots = [source.tryRead("ppt/commentAuthors.xml"), source.tryRead("ppt/authors.xml")];
  const authors = roots.flatMap((root) => root?.elements ?? []);
  const nameOf = (author: XmlElement) => oneLine(author.get("name") ?? "");
  return new Map(authors.map((author) => [author.get("id") ?? "", nameOf(author)]));
}
