/**
 * Files that attack their parser, for tests of extraction. Each is small and built from its description, so that
 * no scanner finds malware in this repository.
 *
 * @module
 */
import { buildPdf } from "./layout_pdf.ts";

/** Returns a stream object with its length. */
function pdfStream(data: string): string {
  return `<</Length ${data.length}>>\nstream\n${data}\nendstream`;
}

/**
 * A PDF of 2 KiB that occupies its parser for hours, and takes memory meanwhile: a form that shows another form
 * many times, which does the same, and so on for 8 levels (ISO 32000-1, 8.10).
 */
export function loopingPdf(): Uint8Array<ArrayBuffer> {
  const levels = 8;
  const forms = Array.from({ length: levels }, (_, level) => {
    const isLast = level === levels - 1;
    const content = isLast ? "BT/F 9 Tf(text)Tj ET" : "/X Do\n".repeat(20);
    const resources = isLast ? "/Font<</F 5 0 R>>" : `/XObject<</X ${7 + level} 0 R>>`;
    return `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${resources}>>${
      pdfStream(content).slice(2)
    }`;
  });
  return buildPdf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</X 6 0 R>>>>>>",
    pdfStream("/X Do"),
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ...forms,
  ]);
}
