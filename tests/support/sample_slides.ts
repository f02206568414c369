import { strToU8, zipSync } from "fflate";

const OOXML = "http://schemas.openxmlformats.org";
const NAMESPACES = `xmlns:p="${OOXML}/presentationml/2006/main" xmlns:a="${OOXML}/drawingml/2006/main" ` +
  `xmlns:r="${OOXML}/officeDocument/2006/relationships" xmlns:c="${OOXML}/drawingml/2006/chart" ` +
  `xmlns:dgm="${OOXML}/drawingml/2006/diagram" xmlns:mc="${OOXML}/markup-compatibility/2006"`;

/** A slide of {@linkcode sampleSlides}: the XML of its shapes, and related parts by their relationship type. */
export interface SampleSlide {
  readonly shapes: string;
  readonly parts?: Record<string, string>;
}

/** Returns a presentation with these slides. The id of each relationship of a slide is its type. */
export function sampleSlides(slides: SampleSlide[]): Uint8Array<ArrayBuffer> {
  const relationships = (entries: [id: string, type: string, target: string][]) =>
    `<Relationships xmlns="${OOXML}/package/2006/relationships">${
      entries.map(([id, type, target]) =>
        `<Relationship Id="${id}" Type="${OOXML}/x/${type}" Target="${target}"/>`
      )
        .join("")
    }</Relationships>`;
  const files: Record<string, string> = {
    "[Content_Types].xml": '<Types><Override PartName="/ppt/presentation.xml" ContentType=' +
      '"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
    "ppt/presentation.xml": `<p:presentation ${NAMESPACES}><p:sldIdLst>${
      slides.map((_, i) => `<p:sldId r:id="s${i}"/>`).join("")
    }</p:sldIdLst></p:presentation>`,
    // The files are named in reverse: their order in the presentation counts.
    "ppt/_rels/presentation.xml.rels": relationships(
      slides.map((_, i) => [`s${i}`, "slide", `slides/slide${slides.length - i}.xml`]),
    ),
  };
  slides.forEach(({ shapes, parts = {} }, i) => {
    const name = `slide${slides.length - i}.xml`;
    files[`ppt/slides/${name}`] =
      `<p:sld ${NAMESPACES}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;
    files[`ppt/slides/_rels/${name}.rels`] = relationships(
      Object.keys(parts).map((type) => [type, type, `../parts/${type}${i}.xml`]),
    );
    for (const [type, xml] of Object.entries(parts)) {
      files[`ppt/parts/${type}${i}.xml`] = `<p:root ${NAMESPACES}>${xml}</p:root>`;
    }
  });
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, strToU8(xml)])));
}

/** Returns a shape with a placeholder of this type, or none, and these paragraphs. */
export function slideShape(type: string | undefined, ...paragraphs: string[]): string {
  const placeholder = type === undefined ? "" : `<p:ph type="${type}"/>`;
  const content = paragraphs.map((text) => text.startsWith("<") ? text : slideParagraph(text)).join("");
  return `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${content}</p:txBody></p:sp>`;
}

/** Returns a paragraph of a shape. */
export function slideParagraph(text: string, properties = ""): string {
  return `<a:p><a:pPr ${properties}/><a:r><a:t>${text}</a:t></a:r></a:p>`;
}
