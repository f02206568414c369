/**
 * Prefixes of Office Open XML namespaces by the end of their address, which the transitional
 * (`http://schemas.openxmlformats.org/drawingml/2006/main`) and the strict ones (`http://purl.oclc.org/ooxml/drawingml/main`)
 * share.
 */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["wordprocessingml/main", "w"],
  ["drawingml/main", "a"],
  ["drawingml/chart", "c"],
  ["drawingml/diagram", "dgm"],
  ["drawingml/wordprocessingDrawing", "wp"],
  ["drawingml/picture", "pic"],
  ["presentationml/main", "p"],
  ["spreadsheetml/main", "x"],
  ["officeDocument/math", "m"],
  ["officeDocument/relationships", "r"],
  ["package/relationships", "rel"],
  ["package/metadata/core-properties", "cp"],
  ["officeDocument/extended-properties", "ep"],
  ["officeDocument/extendedProperties", "ep"],
  ["markup-compatibility", "mc"],
]);

/** Prefixes of namespaces outside of the standard. */
const OTHER_PREFIXES: ReadonlyMap<string, string> = new Map([
  ["http://purl.org/dc/elements/1.1/", "dc"],
  ["http://purl.org/dc/terms/", "dcterms"],
  ["urn:schemas-microsoft-com:vml", "v"],
  ["urn:schemas-microsoft-com:office:office", "o"],
  ["http://schemas.microsoft.com/office/word/2010/wordprocessingShape", "wps"],
  ["http://schemas.microsoft.com/office/powerpoint/2010/main", "p14"],
  ["http://schemas.microsoft.com/office/powerpoint/2018/8/main", "p188"],
]);

/** Returns the prefix by which the extractors know a namespace of Office Open XML. */
export function ooxmlPrefix(namespace: string): string | undefined {
  const suffix = /^http:\/\/(?:schemas\.openxmlformats\.org|purl\.oclc\.org\/ooxml)\/(.*)$/.exec(namespace)
    ?.[1];
  if (suffix === undefined) return OTHER_PREFIXES.get(namespace);
  return PREFIXES.get(suffix.replace(/\/?\b20\d\d(?=\/|$)/, ""));
}
