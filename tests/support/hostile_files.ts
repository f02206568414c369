/**
 * Files that attack their parser, for tests of extraction. Each is small and built from its description, so that
 * no scanner finds malware in this repository.
 *
 * @module
 */

/** Builds a PDF from the bodies of its objects; the first is the catalog. The cross-reference table is valid. */
function buildPdf(objects: readonly string[]): Uint8Array<ArrayBuffer> {
  let file = "%PDF-1.4\n";
  const offsets: number[] = [];
  objects.forEach((body, index) => {
    offsets.push(file.length);
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
  });
  const xref = file.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  file += `trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${xref}\n%%EOF\n`;
  return new TextEncoder().encode(file);
}

/** Returns a stream object with its length. */
function pdfStream(data: string): string {
  return `<</Length ${data.length}>>\nstream\n${data}\nendstream`;
}

/** Builds a PDF with one page that shows a text in a font with this ToUnicode CMap. */
function pdfWithCMap(cmap: string): Uint8Array<ArrayBuffer> {
  return buildPdf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
    pdfStream("BT/F 9 Tf<0001>Tj ET"),
    "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R>>",
    "<</Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(A)/Ordering(I)/Supplement 0>>>>",
    pdfStream(cmap),
  ]);
}

/**
 * A PDF of 1 KiB that occupies its parser for minutes: each CMap range maps 16 million characters
 * (ISO 32000-1 §9.10.3), which the parser enumerates.
 */
export function loopingPdf({ ranges = 30 } = {}): Uint8Array<ArrayBuffer> {
  const range = "<0><fffffe><0>\n";
  return pdfWithCMap(
    `1 begincodespacerange<0><ffffff>endcodespacerange\n${ranges} beginbfrange\n${
      range.repeat(ranges)
    }endbfrange`,
  );
}
