import { isoDate } from "../properties.ts";
import { cleanTitle } from "../title.ts";
import type { OoxmlPackage } from "./package.ts";

/** Metadata keys, with the elements of the core properties (ECMA-376 part 2 §11). */
const PROPERTIES: readonly (readonly [string, string])[] = [
  ["title", "dc:title"],
  ["author", "dc:creator"],
  ["subject", "dc:subject"],
  ["keywords", "cp:keywords"],
  ["language", "dc:language"],
];

/** Reads the core properties of a package, its dates as ISO 8601, and the program that wrote it. */
export function readCoreProperties(source: OoxmlPackage): Record<string, string> {
  const core = source.tryRead(source.related("", "core-properties") ?? "docProps/core.xml");
  const found: Record<string, string> = {};
  const add = (key: string, value: string | undefined) => {
    if (value !== undefined) found[key] = value;
  };
  for (const [key, element] of PROPERTIES) add(key, cleanTitle(core?.child(element)?.text));
  add("created", isoDate(core?.child("dcterms:created")?.text));
  add("modified", isoDate(core?.child("dcterms:modified")?.text));
  const extended = source.tryRead(source.related("", "extended-properties") ?? "docProps/app.xml");
  add("generator", cleanTitle(extended?.child("ep:Application", "Application")?.text));
  return found;
}
