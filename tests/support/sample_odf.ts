import { strToU8, zipSync } from "fflate";

const ODF = "urn:oasis:names:tc:opendocument:xmlns";
const NAMESPACES =
  ["office", "text", "table", "style", "draw", "presentation", "meta", "chart"].map((name) =>
    `xmlns:${name}="${ODF}:${name}:1.0"`
  ).join(" ") + ` xmlns:svg="${ODF}:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" ` +
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:math="http://www.w3.org/1998/Math/MathML"';

/** Parts of {@linkcode sampleOdf}: XML of their content. */
export interface SampleOdf {
  readonly styles?: string;
  readonly master?: string;
  readonly meta?: string;
  /** Further entries by path: the XML of a whole part, without namespaces. */
  readonly parts?: Record<string, string>;
}

/** Returns an OpenDocument file with this XML in its body. */
export function sampleOdf(
  kind: "text" | "presentation",
  body: string,
  { styles = "", master = "", meta = "", parts = {} }: SampleOdf = {},
): Uint8Array<ArrayBuffer> {
  const files = {
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `<office:document-content ${NAMESPACES}><office:automatic-styles>${styles}` +
      `</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body>` +
      "</office:document-content>",
    "styles.xml":
      `<office:document-styles ${NAMESPACES}><office:master-styles>${master}</office:master-styles>` +
      "</office:document-styles>",
    "meta.xml":
      `<office:document-meta ${NAMESPACES}><office:meta>${meta}</office:meta></office:document-meta>`,
    ...Object.fromEntries(
      Object.entries(parts).map(([path, xml]) => [path, xml.replace(/^<([\w:]+)/, `<$1 ${NAMESPACES}`)]),
    ),
  };
  return zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])));
}
