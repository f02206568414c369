import { assert, assertEquals, assertRejects } from "@std/assert";
import { strToU8, zipSync } from "fflate";
import { extract, type ExtractedText, ExtractionError } from "../../../src/extraction/mod.ts";

const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const NAMES = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${OFFICE}"`;

function relationships(...entries: [type: string, target: string, mode?: string][]): string {
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${
    entries.map(([type, target, mode], i) =>
      `<Relationship Id="r${i + 1}" Type="${OFFICE}/${type}" Target="${target}"${
        mode ? ` TargetMode="${mode}"` : ""
      }/>`
    ).join("")
  }</Relationships>`;
}

interface Sheet {
  name?: string;
  state?: string;
  data: string;
  after?: string;
}

/** Returns a workbook; the cells of a sheet are written as XML. */
function workbook(
  sheets: Sheet[],
  parts: Record<string, string> = {},
  properties = "",
): Uint8Array<ArrayBuffer> {
  const files: Record<string, string> = {
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": relationships(["officeDocument", "xl/workbook.xml"]),
    "xl/workbook.xml": `<workbook ${NAMES}>${properties}<sheets>${
      sheets.map(({ name = "Data", state }, i) =>
        `<sheet name="${name}" sheetId="${i + 1}" r:id="r${i + 1}"${state ? ` state="${state}"` : ""}/>`
      ).join("")
    }</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships(
      ...sheets.map((_, i): [string, string] => ["worksheet", `worksheets/sheet${i + 1}.xml`]),
      ["sharedStrings", "sharedStrings.xml"],
      ["styles", "styles.xml"],
    ),
    ...parts,
  };
  for (const [i, { data, after = "" }] of sheets.entries()) {
    files[`xl/worksheets/sheet${i + 1}.xml`] =
      `<worksheet ${NAMES}><dimension ref="A1:XFD1048576"/><sheetData>${data}</sheetData>${after}</worksheet>`;
  }
  return zipSync(Object.fromEntries(Object.entries(files).map(([path, xml]) => [path, strToU8(xml)])));
}

async function read(bytes: Uint8Array<ArrayBuffer>): Promise<ExtractedText> {
  const extracted = await extract({ bytes, filename: "numbers.xlsx", contentType: undefined });
  assertEquals(extracted?.docType, "xlsx");
  return extracted!;
}

const row = (n: number, cells: string) => `<row r="${n}">${cells}</row>`;
const text = (reference: string, value: string) =>
  `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`;

Deno.test("extract shows the values of a workbook as Excel does", async () => {
  const styles = `<styleSheet ${NAMES}><numFmts><numFmt numFmtId="164" formatCode="#,##0.00\\ [$€-407]"/>` +
    `<numFmt numFmtId="165" formatCode=";;;"/></numFmts><cellXfs>` +
    [0, 14, 10, 164, 22, 165].map((id) => `<xf numFmtId="${id}"/>`).join("") + `</cellXfs></styleSheet>`;
  const strings =
    `<sst ${NAMES}><si><t>Fern</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>x</t></rPh></si></sst>`;
  const values: [cell: string, shown: string][] = [
    [`<c t="s"><v>0</v></c>`, "Fern"],
    [`<c t="s"><v>1</v></c>`, "rich text"],
    [`<c s="1"><v>45366</v></c>`, "2024-03-15"],
    [`<c s="4"><v>45366.5</v></c>`, "2024-03-15 12:00"],
    [`<c s="2"><v>0.125</v></c>`, "12.50%"],
    [`<c s="3"><v>1234.5</v></c>`, "1,234.50 €"],
    [`<c s="5"><v>7</v></c>`, "7"],
    [`<c><v>0.30000000000000004</v></c>`, "0.3"],
    [`<c><v>4006381333931</v></c>`, "4006381333931"],
    [`<c><v>3.14159265359</v></c>`, "3.14159265359"],
    [`<c><v>1.5E+20</v></c>`, "1.5E+20"],
    [`<c t="b"><v>1</v></c>`, "TRUE"],
    [`<c t="e"><v>#N/A</v></c>`, "#N/A"],
    [`<c t="str"><f>A1&amp;"x"</f><v>Fernx</v></c>`, "Fernx"],
    [`<c><f>1+1</f><v>2</v></c>`, "2"],
    [`<c t="inlineStr"><is><t>a_x000D_b | c</t></is></c>`, "a b \\| c"],
  ];
  const data = row(1, text("A1", "Value")) + values.map(([cell], i) => row(i + 2, cell)).join("");
  const { text: found } = await read(
    workbook([{ data: data.replaceAll("<c ", "<c ") }], {
      "xl/sharedStrings.xml": strings,
      "xl/styles.xml": styles,
    }),
  );
  assertEquals(
    found,
    `## Data\n\n| Value |\n| --- |\n${values.map(([, shown]) => `| ${shown} |`).join("\n")}\n`,
  );
});

Deno.test("extract counts dates from 1904 where the workbook does", async () => {
  const styles = `<styleSheet ${NAMES}><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>`;
  const bytes = workbook(
    [{ data: row(1, text("A1", "Day")) + row(2, `<c><v>1</v></c>`) }],
    { "xl/styles.xml": styles },
    `<workbookPr date1904="1"/>`,
  );
  assertEquals((await read(bytes)).text, "## Data\n\n| Day |\n| --- |\n| 1904-01-02 |\n");
});

Deno.test("extract reads all sheets, hidden ones too, and names them", async () => {
  const bytes = workbook([
    { name: "Plants &amp; more", data: row(1, text("A1", "Fern")) },
    { name: "Empty", data: "" },
    { name: "Secret", state: "veryHidden", data: row(1, text("A1", "Moss")) },
  ], {
    "docProps/core.xml":
      `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Garden plan</dc:title><dc:creator>Ann</dc:creator></cp:coreProperties>`,
  });
  const { text: found, title, metadata } = await read(bytes);
  assertEquals(found, "## Plants & more\n\n| Fern |\n| --- |\n\n## Secret\n\n| Moss |\n| --- |\n");
  assertEquals(title, "Garden plan");
  assertEquals(metadata, {
    title: "Garden plan",
    author: "Ann",
    sheets: ["Plants & more", "Empty", "Secret"],
    hidden_sheets: ["Secret"],
  });
});

Deno.test("extract keeps empty cells, and drops empty rows and columns", async () => {
  const data = row(3, text("C3", "Plants of 2026")) +
    row(5, text("C5", "name") + text("D5", "water") + text("F5", "sun")) +
    row(6, `<c r="A6" s="1"/>${text("D6", "weekly")}`) + row(9, text("C9", "Fern") + text("F9", "no")) +
    row(1000, "");
  assertEquals(
    (await read(workbook([{ data }]))).text,
    "## Data\n\nPlants of 2026\n\n| name | water | sun |\n| --- | --- | --- |\n|  | weekly |  |\n| Fern |  | no |\n",
  );
});

Deno.test("extract keeps comments, links, text boxes and titles of charts", async () => {
  const bytes = workbook([{
    data: row(1, text("A1", "Fern") + text("B1", "https://b.example")),
    after: `<hyperlinks><hyperlink ref="A1" r:id="r1"/><hyperlink ref="B1" r:id="r2"/></hyperlinks>` +
      `<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"Printed header</oddHeader>` +
      "<oddFooter>&amp;LDraft, &amp;P &amp;C&amp;12Page &amp;P of &amp;N&amp;RSeite &amp;P</oddFooter></headerFooter>",
  }], {
    "xl/worksheets/_rels/sheet1.xml.rels": relationships(
      ["hyperlink", "https://a.example/x", "External"],
      ["hyperlink", "https://b.example", "External"],
      ["comments", "../comments1.xml"],
      ["drawing", "../drawings/drawing1.xml"],
    ),
    "xl/comments1.xml":
      `<comments ${NAMES}><authors><author>Ann</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>Ann:</t></r><r><t>\nToo dry</t></r></text></comment></commentList></comments>`,
    "xl/drawings/drawing1.xml":
      `<d xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:p><a:r><a:t>In a box</a:t></a:r></a:p></d>`,
    "xl/drawings/_rels/drawing1.xml.rels": relationships(["chart", "../charts/chart1.xml"]),
    "xl/charts/chart1.xml":
      `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:title><a:t>Growth</a:t></c:title></c:chartSpace>`,
  });
  const { text: found } = await read(bytes);
  assertEquals(
    found,
    "## Data\n\n| [Fern](https://a.example/x) | https://b.example |\n| --- | --- |\n\n" +
      "Comments:\n\n- A1 (Ann): Too dry\n\nPrinted header\n\nDraft,\n\nIn a box\n\nGrowth\n",
  );
});

Deno.test("extract shows formulas without results, with a warning", async () => {
  const { text: found, warnings } = await read(
    workbook([{ data: row(1, `<c r="A1"><f>SUM(B1:B9)</f></c>`) }]),
  );
  assert(found.includes("=SUM(B1:B9)"));
  assert(warnings?.[0]?.startsWith("Formulas without a stored result: 1. "));
});

Deno.test("extract reads a sheet with two cells in its corners, and one with hundreds of columns", async () => {
  const corners = row(1, text("A1", "first")) + row(1048576, text("XFD1048576", "last"));
  assertEquals(
    (await read(workbook([{ data: corners }]))).text,
    "## Data\n\n| first |  |\n| --- | --- |\n|  | last |\n",
  );
  const cells = (n: number) =>
    row(n, Array.from({ length: 400 }, (_, i) => text("", `${n === 1 ? "name" : "value"}${i}`)).join(""));
  const { text: wide } = await read(workbook([{ data: cells(1) + cells(2) }]));
  assert(wide.startsWith("## Data\n\n- name0: value0; name1: value1; "));
});

Deno.test("extract refuses a workbook without text, or a damaged one", async () => {
  const expectError = async (bytes: Uint8Array<ArrayBuffer>, code: string) => {
    const error = await assertRejects(() => read(bytes), ExtractionError);
    assertEquals(error.code, code);
  };
  await expectError(workbook([{ data: row(1, `<c r="A1" s="3"/>`) }]), "no_text");
  await expectError(workbook([{ data: "", after: "</worksheet><worksheet>" }]), "no_text");
  await expectError(workbook([{ data: "</sheetData>", after: "<x" }]), "damaged");
});
