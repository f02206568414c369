import type { XmlElement } from "../../xml/element.ts";
import type { OoxmlPackage } from "../package.ts";

/** Notes and comments of a Word document by their id. */
export interface WordNotes {
  readonly footnote: ReadonlyMap<string, XmlElement>;
  readonly endnote: ReadonlyMap<string, XmlElement>;
  /** A comment is removed when it has been written. */
  readonly comment: Map<string, XmlElement>;
}

/** Reads the parts with notes and comments. */
export function readNotes(source: OoxmlPackage, path: string): WordNotes {
  return {
    footnote: byId(source.tryRead(source.related(path, "footnotes")), "w:footnote"),
    endnote: byId(source.tryRead(source.related(path, "endnotes")), "w:endnote"),
    comment: byId(source.tryRead(source.related(path, "comments")), "w:comment"),
  };
}

function byId(root: XmlElement | undefined, name: string): Map<string, XmlElement> {
  const notes = new Map<string, XmlElement>();
  for (const element of root?.elements ?? []) {
    // Notes with a type are separators.
    const isNote = element.name === name && /^(?:normal)?$/.test(element.get("w:type") ?? "");
    const id = element.get("w:id");
    if (isNote && id !== undefined) notes.set(id, element);
  }
  return notes;
}
