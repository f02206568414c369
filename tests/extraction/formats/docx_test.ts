import { assertEquals, assertRejects } from "@std/assert";
import { ExtractionError } from "../../../src/extraction/errors.ts";
import { extractDocument } from "../../support/extract_document.ts";
import { sampleWord, wordParagraph as p } from "../../support/sample_word.ts";

/** Returns the Markdown of a Word document with this body. */
async function markdown(body: string, parts: Record<string, string> = {}): Promise<string> {
  const bytes = sampleWord(body, parts);
  return (await extractDocument({ bytes, filename: "a.docx", contentType: undefined })).text;
}

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const style = (id: string) => `<w:pStyle w:val="${id}"/>`;
const item = (list: number, level = 0) =>
  `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`;
const cell = (text: string, properties = "") => `<w:tc><w:tcPr>${properties}</w:tcPr>${p(text)}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.join("")}</w:tr>`;

const STYLES = '<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>' +
  '<w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift2"/></w:style>' +
  '<w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>' +
  '<w:style w:styleId="Outline"><w:name w:val="Outline"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>' +
  '<w:style w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>' +
  '<w:style w:styleId="Code"><w:name w:val="Source Code"/></w:style>';

Deno.test("docx: headings are found by style name, base style and outline level", async () => {
  const body = p("Localized", style("berschrift2")) + p("Derived", style("Own")) +
    p("By outline", style("Outline")) +
    p("Own body text", style("Outline") + '<w:outlineLvl w:val="9"/>') + p("Endless", style("Loop")) +
    p("Demoted", style("berschrift2") + '<w:outlineLvl w:val="9"/>');
  assertEquals(
    await markdown(body, { styles: STYLES }),
    "## Localized\n\n## Derived\n\n### By outline\n\nOwn body text\n\nEndless\n\nDemoted",
  );
});

Deno.test("docx: a table of contents is left out", async () => {
  const contents =
    '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>' +
    `<w:sdtContent>${p("Ferns 3")}</w:sdtContent></w:sdt>`;
  assertEquals(await markdown(contents + p("Moss 4", style("TOC1")) + p("Text"), { styles: STYLES }), "Text");
});

Deno.test("docx: lists keep levels, bullets and the numbers that Word shows", async () => {
  const level = (n: number, format: string, text: string) =>
    `<w:lvl w:ilvl="${n}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
  const numbering =
    `<w:abstractNum w:abstractNumId="0">${level(0, "decimal", "%1.")}${level(1, "lowerLetter", "(%2)")}${
      level(2, "bullet", "")
    }</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>` +
    '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>';
  const body = p("one", item(1)) + p("under", item(1, 1)) + p("deep", item(1, 2)) + p("two", item(1)) +
    p("again", item(1, 1)) + p("seven", item(2)) + p("no list", item(0));
  assertEquals(
    await markdown(body, { numbering }),
    "1. one\n  - (a) under\n    - deep\n2. two\n  - (a) again\n7. seven\n\nno list",
  );
});

Deno.test("docx: tables keep empty cells, and merged cells appear once", async () => {
  const table = `<w:tbl>${row(cell("Plant"), cell("Water", '<w:gridSpan w:val="2"/>'))}${
    row(cell("Fern | moss", '<w:vMerge w:val="restart"/>'), cell(""), cell("daily"))
  }${row(cell("hidden", "<w:vMerge/>"), cell("weekly"), cell(""))}<w:tr><w:trPr><w:del/></w:trPr>${
    cell("deleted")
  }</w:tr></w:tbl>`;
  assertEquals(
    await markdown(table),
    "| Plant | Water |  |\n| --- | --- | --- |\n| Fern \\| moss |  | daily |\n|  | weekly |  |",
  );
  assertEquals(await markdown(`<w:tbl>${row(cell("In a frame"))}</w:tbl>`), "In a frame");
});

Deno.test("docx: equations become LaTeX", async () => {
  const math = (content: string) => `<m:oMath>${content}</m:oMath>`;
  const r = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
  const fraction = `<m:f><m:num>${r("a")}</m:num><m:den>${r("λ")}</m:den></m:f>`;
  const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r("i=1")}</m:sub><m:sup>${
    r("n")
  }</m:sup><m:e>${r("i")}</m:e></m:nary>`;
  const root = `<m:rad><m:deg/><m:e>${r("x")}</m:e></m:rad>`;
  const power = `<m:sSup><m:e>${r("𝑥")}</m:e><m:sup>${r("2")}</m:sup></m:sSup>`;
  const matrix = `<m:m><m:mr><m:e>${r("1")}</m:e><m:e>${r("0")}</m:e></m:mr></m:m>`;
  assertEquals(
    await markdown(p(`${run("so ")}${math(fraction)}${run(" holds")}`)),
    "so $\\frac{a}{λ}$ holds",
  );
  assertEquals(
    await markdown(p(`<m:oMathPara>${math(sum + root + power + matrix)}</m:oMathPara>`)),
    "$$\\sum_{i=1}^{n} i\\sqrt{x}x^{2}\\begin{matrix}1 & 0\\end{matrix}$$",
  );
});

Deno.test("docx: notes and comments follow their paragraph", async () => {
  const body = p(
    `${run("Water")}<w:r><w:footnoteReference w:id="2"/></w:r>${
      run(" them")
    }<w:r><w:endnoteReference w:id="2"/></w:r>` +
      '<w:r><w:commentReference w:id="0"/></w:r>',
  ) + p("Next");
  const parts = {
    footnotes: `<w:footnote w:id="0" w:type="separator">${p("---")}</w:footnote><w:footnote w:id="2">${
      p("With rain.")
    }</w:footnote>`,
    endnotes: `<w:endnote w:id="2">${p("Daily.")}</w:endnote>`,
    comments: `<w:comment w:id="0" w:author="Ann">${p("Really?")}</w:comment>`,
  };
  assertEquals(
    await markdown(body, parts),
    "Water[^1] them[^2]\n\n[^1]: With rain.\n\n[^2]: Daily.\n\n> Comment by Ann: Really?\n\nNext",
  );
});

Deno.test("docx: tracked insertions are kept, deletions and hidden text are not", async () => {
  const body = p(
    `<w:ins>${run("new ")}</w:ins><w:del><w:r><w:delText>old </w:delText></w:r></w:del><w:moveFrom>${
      run("from ")
    }</w:moveFrom><w:moveTo>${run("to")}</w:moveTo><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>`,
  );
  assertEquals(await markdown(body), "new to");
});

Deno.test("docx: text boxes appear once, with the descriptions of pictures", async () => {
  const box = `<w:txbxContent>${p("In the box")}</w:txbxContent>`;
  const body = p(
    `${
      run("Before")
    }<w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:docPr descr="A fern"/>${box}</w:drawing></mc:Choice>` +
      `<mc:Fallback><w:pict><v:textbox>${box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
  );
  assertEquals(await markdown(body), "Before\n\nIn the box\n\nA fern");
});

Deno.test("docx: charts become tables", async () => {
  const points = (...values: string[]) =>
    values.map((v, i) => `<c:pt idx="${i}"><c:v>${v}</c:v></c:pt>`).join("");
  const chart = `<c:title><a:t>Rain</a:t></c:title><c:ser><c:tx>${points("mm")}</c:tx><c:cat>${
    points("May", "June")
  }</c:cat><c:val>${points("4.2999999999999998", "5")}</c:val></c:ser>`;
  const body = p('<w:r><w:drawing><c:chart r:id="chart"/></w:drawing></w:r>');
  assertEquals(
    await markdown(body, { chart }),
    "Rain\n\n|  | mm |\n| --- | --- |\n| May | 4.3 |\n| June | 5 |",
  );
});

Deno.test("docx: the largest text of the first page is the title of a document without headings", async () => {
  const sized = (size: number, text: string) =>
    p(`<w:r><w:rPr><w:sz w:val="${size}"/></w:rPr><w:t>${text}</w:t></w:r>`);
  const title = async (...paragraphs: string[]) => {
    const bytes = sampleWord(paragraphs.join(""));
    return (await extractDocument({ bytes, filename: "a.docx", contentType: undefined })).title;
  };
  assertEquals(
    await title(sized(22, "Ann Lee"), sized(36, "Care of ferns"), sized(22, "Water them.")),
    "Care of ferns",
  );
  assertEquals(await title(sized(22, "Water them."), sized(24, "Daily."), sized(22, "Or not.")), undefined);
});

Deno.test("docx: fields keep their result, symbols become Unicode, readings follow their characters", async () => {
  const field = (instruction: string, result: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>${instruction}</w:instrText>` +
    `<w:fldChar w:fldCharType="separate"/></w:r>${run(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const body = p(field("REF _Ref1", "Figure 1") + field("PAGE", "7") + run(" shows ")) +
    p('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:t>1</w:t><w:tab/><w:noBreakHyphen/></w:r>') +
    p(
      `<w:r><w:ruby><w:rt>${run("かん")}</w:rt><w:rubyBase>${run("漢")}</w:rubyBase></w:ruby></w:r>`,
    );
  assertEquals(await markdown(body), "Figure 1 shows\n\nα1 \u2011\n\n漢（かん）");
});

Deno.test("docx: lines of code become one fence with their white space", async () => {
  const body = p("if a:", style("Code")) + p("    b()", style("Code")) + p("After");
  assertEquals(await markdown(body, { styles: STYLES }), "```\nif a:\n    b()\n```\n\nAfter");
});

Deno.test("docx: headers and footers appear once, without page numbers", async () => {
  const body = p("Text") +
    '<w:sectPr><w:headerReference r:id="header"/><w:footerReference r:id="footer"/></w:sectPr>';
  const parts = {
    header: p("Garden report") + p("Garden report"),
    footer: p(`${run("Page ")}<w:fldSimple w:instr="PAGE">${run("1")}</w:fldSimple>${run(" of 9")}`),
  };
  assertEquals(await markdown(body, parts), "Text\n\nGarden report");
});

Deno.test("docx: strict documents with other prefixes are read", async () => {
  const strict = "http://purl.oclc.org/ooxml/wordprocessingml/main";
  const body =
    `<p xmlns="${strict}"><pPr><outlineLvl xmlns:z="${strict}" z:val="0"/></pPr><r><t>Strict</t></r></p>`;
  assertEquals(await markdown(body), "# Strict");
});

Deno.test("docx: deeply nested XML is refused instead of overflowing the stack", async () => {
  const depth = 100_000;
  const error = await assertRejects(
    () => markdown("<w:sdt>".repeat(depth) + p("x") + "</w:sdt>".repeat(depth)),
    ExtractionError,
    "its XML has elements nested over 400 deep",
  );
  assertEquals(error.code, "too_large");
});

Deno.test("docx: entities of a document type are not expanded", async () => {
  const bytes = sampleWord(p("&bomb;"));
  const { text } = await extractDocument({ bytes, filename: "a.docx", contentType: undefined });
  assertEquals(text, "&bomb;");
});
