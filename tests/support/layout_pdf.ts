/** A piece of text on a page of {@linkcode layoutPdf}: its position from the lower left corner, in points. */
export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  /** @default 10 */
  readonly size?: number;
  /** @default "regular" */
  readonly font?: "regular" | "bold" | "code";
}

/** Options of {@linkcode layoutPdf}. */
export interface LayoutPdfOptions {
  /** Titles of bookmarks with their page (from 0), and the number of the one that contains them. */
  readonly bookmarks?: readonly { readonly title: string; readonly page: number; readonly parent?: number }[];
  /** Entries of the catalog, in PDF syntax. */
  readonly catalog?: string;
  /** Entries of the information dictionary. */
  readonly info?: Readonly<Record<string, string>>;
}

const FONTS = { regular: "F1", bold: "F2", code: "F3" } as const;

/** Returns a PDF with Helvetica, Helvetica-Bold and Courier, in the order in which the text is given. */
export function layoutPdf(
  pages: readonly (readonly PlacedText[])[],
  { bookmarks = [], catalog = "", info = {} }: LayoutPdfOptions = {},
): Uint8Array<ArrayBuffer> {
  const firstPage = 7;
  const outline = firstPage + 2 * pages.length;
  const bookmark = (index: number) => outline + 1 + index;
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const children = (parent: number | undefined) =>
    bookmarks.flatMap((each, index) => each.parent === parent ? [index] : []);
  const links = (list: readonly number[]) =>
    list.length === 0 ? "" : ` /First ${bookmark(list[0]!)} 0 R /Last ${bookmark(list.at(-1)!)} 0 R`;
  return buildPdf([
    `<< /Type /Catalog /Pages 2 0 R ${bookmarks.length > 0 ? `/Outlines ${outline} 0 R` : ""} ${catalog} >>`,
    `<< /Type /Pages /Kids [${
      pages.map((_, i) => `${firstPage + 2 * i} 0 R`).join(" ")
    }] /Count ${pages.length} >>`,
    font("Helvetica"),
    font("Helvetica-Bold"),
    font("Courier"),
    `<< ${Object.entries(info).map(([key, value]) => `/${key} (${escape(value)})`).join(" ")} >>`,
    ...pages.flatMap((items, index) => {
      const content = items.map(({ text, x, y, size = 10, font = "regular" }) =>
        `BT /${FONTS[font]} ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escape(text)}) Tj ET`
      ).join("\n");
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${firstPage + 2 * index + 1} 0 R ` +
        "/Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> >> >>",
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    `<< /Type /Outlines${links(children(undefined))} >>`,
    ...bookmarks.map(({ title, page, parent }, index) => {
      const siblings = children(parent);
      const next = siblings[siblings.indexOf(index) + 1];
      return `<< /Title (${escape(title)}) /Dest [${firstPage + 2 * page} 0 R /Fit]${
        links(children(index))
      }` +
        `${next === undefined ? "" : ` /Next ${bookmark(next)} 0 R`} >>`;
    }),
  ], "/Info 6 0 R");
}

/** Builds a PDF from the bodies of its objects; the first is the catalog. */
export function buildPdf(objects: readonly string[], trailer = ""): Uint8Array<ArrayBuffer> {
  let file = "%PDF-1.7\n";
  const offsets = objects.map((body, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${entries}` +
    `trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Uint8Array.from(file + end, (char) => char.charCodeAt(0));
}

/** Escapes the content of a PDF string (ISO 32000-1, 7.3.4.2). */
function escape(text: string): string {
  return text.replace(/[\\()]/g, "\\$&");
}
