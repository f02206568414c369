import { oneLine } from "../whitespace.ts";
import { type EpubPackage, resolveReference } from "./package.ts";

/**
 * Returns the titles of the chapters by the path of their file: from the navigation document (EPUB 3.3 §7) or its
 * predecessor, the NCX. Only the first entry of a file counts.
 */
export function chapterTitles(book: EpubPackage): ReadonlyMap<string, string> {
  const titles = new Map<string, string>();
  const add = (path: string, reference: string | undefined, label: string | undefined) => {
    const title = oneLine(label ?? "");
    const target = resolveReference(path, reference ?? "");
    if (title !== "" && !titles.has(target)) titles.set(target, title);
  };
  const items = [...book.manifest.values()];
  const navigation = items.find(({ properties }) => properties.includes("nav"));
  const lists = book.tryRead(navigation?.path)?.descendants("html:nav") ?? [];
  const contents = lists.find((list) => list.get("epub:type") === "toc") ?? lists[0];
  for (const link of contents?.descendants("html:a") ?? []) {
    add(navigation!.path, link.get("href"), link.text);
  }
  if (titles.size > 0) return titles;
  const ncx = items.find(({ mediaType, path }) =>
    mediaType === "application/x-dtbncx+xml" || path.endsWith(".ncx")
  );
  for (const point of book.tryRead(ncx?.path)?.descendants("ncx:navPoint") ?? []) {
    add(ncx!.path, point.child("ncx:content")?.get("src"), point.child("ncx:navLabel")?.text);
  }
  return titles;
}
