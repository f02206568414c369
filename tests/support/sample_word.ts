import { strToU8, zipSync } from "fflate";

const OOXML = "http://schemas.openxmlformats.org";
const NAMESPACES =
  `xmlns:w="${OOXML}/wordprocessingml/2006/main" xmlns:r="${OOXML}/officeDocument/2006/relationships" ` +
  `xmlns:m="${OOXML}/officeDocument/2006/math" xmlns:mc="${OOXML}/markup-compatibility/2006" ` +
  `xmlns:wp="${OOXML}/drawingml/2006/wordprocessingDrawing" xmlns:c="${OOXML}/drawingml/2006/chart" ` +
  `xmlns:a="${OOXML}/drawingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml"`;

/**
 * Returns a Word document with this XML in its body.
 *
 * @param parts Related parts by their relationship type (`styles`, `footnotes`, `header`): the content of their root.
 * Each relationship has its type as id.
 */
export function sampleWord(body: string, parts: Record<string, string> = {}): Uint8Array<ArrayBuffer> {
  const relationships = (entries: [type: string, target: string][]) =>
    `<Relationships xmlns="${OOXML}/package/2006/relationships">${
      entries.map(([type, target]) =>
        `<Relationship Id="${type}" Type="${OOXML}/x/${type}" Target="${target}"/>`
      ).join("")
    }</Relationships>`;
  const files = {
    "[Content_Types].xml": '<Types><Override PartName="/word/document.xml" ContentType=' +
      '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": relationships([["officeDocument", "word/document.xml"]]),
    "word/_rels/document.xml.rels": relationships(Object.keys(parts).map((type) => [type, `${type}.xml`])),
    "word/document.xml": `<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`,
    ...Object.fromEntries(
      Object.entries(parts).map((
        [type, xml],
      ) => [`word/${type}.xml`, `<w:root ${NAMESPACES}>${xml}</w:root>`]),
    ),
  };
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, strToU8(xml)])));
}

/** Returns a paragraph with these runs or text. */
export function wordParagraph(content: string, properties = ""): string {
  const runs = content.startsWith("<") ? content : `<w:r><w:t xml:space="preserve">${content}</w:t></w:r>`;
  return `<w:p><w:pPr>${properties}</w:pPr>${runs}</w:p>`;
}
