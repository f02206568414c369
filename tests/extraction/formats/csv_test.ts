import { assert, assertEquals } from "@std/assert";
import { chunkText, extract } from "../../../src/extraction/mod.ts";
import { hasHeaderRow, parseCsv } from "../../../src/extraction/sheets/parse_csv.ts";
import { countReads } from "../../support/count_reads.ts";

async function read(text: string | Uint8Array<ArrayBuffer>, filename = "list.csv") {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const extracted = await extract({ bytes, filename, contentType: undefined });
  assertEquals([extracted?.docType, extracted?.markup], ["csv", "markdown"]);
  return extracted!;
}

const table = (...rows: string[]) =>
  `${[rows[0], rows[0]!.replace(/[^|]+/g, " --- "), ...rows.slice(1)].join("\n")}\n`;

const FILES: [name: string, text: string, expected: string, filename?: string][] = [
  ["commas", "a,b\n1,2\n", table("| a | b |", "| 1 | 2 |")],
  ["semicolons with decimal commas", "a;b\nx;1,5\ny;2,5\n", table("| a | b |", "| x | 1,5 |", "| y | 2,5 |")],
  ["tabs", "a\tb\n1, x\t2\n", table("| a | b |", "| 1, x | 2 |"), "list.tsv"],
  ["pipes", "a|b\n1|2\n", table("| a | b |", "| 1 | 2 |")],
  ["a declared delimiter", "sep=;\na;b\n", table("| a | b |")],
  [
    "quoted fields",
    'a,b\n"x, y","say ""hi""\nthere"\n',
    table("| a | b |", '| x, y | say "hi" there |'),
  ],
  [
    "spaces after delimiters",
    'a, b\nx, "y, z"\n',
    table("| a | b |", "| x | y, z |"),
  ],
  ["an open quotation mark", 'a,b\n"x,2\n', table("| a | b |", '| "x | 2 |')],
  ["pipes in fields", "a,b\nx|y,2\n", table("| a | b |", "| x\\|y | 2 |")],
  [
    "rows of different lengths",
    "a,b,c\n1\n1,2,3\n1,2,3,4\n",
    table("| a | b | c |  |", "| 1 |  |  |  |", "| 1 | 2 | 3 |  |", "| 1 | 2 | 3 | 4 |"),
  ],
  ["empty rows, columns and cells", "a,,b\n\n1,,\n,,2\n,,\n", table("| a | b |", "| 1 |  |", "|  | 2 |")],
  ["one column", "name\nFern\nMoss; wet\n", table("| name |", "| Fern |", "| Moss; wet |")],
  [
    "a caption",
    "Plants of 2026,,\nname,water,sun\nFern,1,2\n",
    `Plants of 2026\n\n${table("| name | water | sun |", "| Fern | 1 | 2 |")}`,
  ],
  ["no header row", "1,2.5\n2,3.5\n", table("|  |  |", "| 1 | 2.5 |", "| 2 | 3.5 |")],
  ["a byte order mark and CRLF", "\ufeffa,b\r\n1,2\r\n", table("| a | b |", "| 1 | 2 |")],
];

for (const [name, text, expected, filename] of FILES) {
  Deno.test(`extract reads CSV with ${name}`, async () =>
    assertEquals((await read(text, filename)).text, expected));
}

Deno.test("extract reads CSV in UTF-16", async () => {
  const text = "\ufeffname;city\nJosé;Łódź\n";
  const bytes = new Uint8Array(Uint16Array.from(text, (char) => char.charCodeAt(0)).buffer);
  assertEquals((await read(bytes)).text, table("| name | city |", "| José | Łódź |"));
});

Deno.test("each chunk of a CSV file has the names of its columns", async () => {
  const rows = Array.from({ length: 500 }, (_, i) => `${i},Plant ${i},Berlin`);
  const chunks = chunkText(await read(`id,name,city\n${rows.join("\n")}\n`), {
    maxTokens: 320,
    overlapTokens: 48,
  });
  assert(chunks.length > 5 && chunks.every(({ text }) => text.startsWith("| id | name | city |\n| --- |")));
});

Deno.test("a row of a CSV file with hundreds of columns becomes a list item with its names", async () => {
  const columns = Array.from({ length: 300 }, (_, i) => i);
  const { text } = await read(
    `${columns.map((i) => `name${i}`).join()}\n${columns.map((i) => `value${i}`).join()}\n`,
  );
  assert(text.startsWith("- name0: value0; name1: value1;") && text.endsWith("name299: value299\n"));
});

Deno.test("years in the first row are names of columns", () => {
  assert(hasHeaderRow([{ texts: ["country", "2019", "2020"] }, { texts: ["Chad", "5", "6"] }]));
  assert(!hasHeaderRow([{ texts: ["Chad", "5.5", "6"] }, { texts: ["Mali", "7", "8"] }]));
});

for (
  const text of ['"a""'.repeat(30_000), 'x,"\n'.repeat(30_000), '"'.repeat(100_000), ",".repeat(100_000)]
) {
  Deno.test(`parseCsv reads ${text.slice(0, 6)}… in linear time`, () => {
    countReads(() => [...parseCsv(text, ",")], 6 * text.length);
  });
}
