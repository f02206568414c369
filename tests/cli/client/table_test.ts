import { assertEquals } from "@std/assert";
import { highlighter } from "../../../src/cli/client/highlight.ts";
import { Output } from "../../../src/cli/client/output.ts";
import { type Column, table } from "../../../src/cli/client/table.ts";

const columns: readonly Column<{ id: number; title: string; tag?: string }>[] = [
  { head: "ID", value: ({ id }) => id, align: "right" },
  { head: "TITLE", value: ({ title }) => title, minWidth: 8 },
  { head: "TAG", value: ({ tag }) => tag },
];

function output(options: { columns?: number; isTerminal?: boolean; color?: boolean }): Output {
  return new Output({ print: () => {}, printError: () => {}, isTerminal: true, ...options });
}

Deno.test("a table leaves out empty columns and cuts a column to the terminal", () => {
  const rows = [{ id: 7, title: "A title that is rather long" }, {
    id: 12,
    title: "日本語のとても長い題名です",
  }];
  assertEquals(table(rows, columns, output({ columns: 20 })), [
    "ID  TITLE",
    " 7  A title that is…",
    "12  日本語のとても…",
  ]);
  assertEquals(
    table(rows.slice(0, 1), columns, output({ columns: 20, isTerminal: false }))[1],
    " 7  A title that is rather long",
  );
});

Deno.test("the marks of a query ignore case, accents and endings, and excluded words", () => {
  const highlight = highlighter('CAFÉ "oak trees" -"pine tar"', (word) => `<${word}>`);
  assertEquals(
    highlight("The cafe by the Oak, a tree, pine and tar"),
    "The <cafe> by the <Oak>, a <tree>, pine and tar",
  );
  assertEquals(highlighter("…", (word) => `<${word}>`)("a b"), "a b");
});

Deno.test("colours are off in JSON and unless they are requested", () => {
  const bold = (options: ConstructorParameters<typeof Output>[0]) => new Output(options).colors.bold("x");
  const io = { print: () => {}, printError: () => {}, isTerminal: true };
  assertEquals([bold(io), bold({ ...io, color: true }), bold({ ...io, color: true, json: true })], [
    "x",
    "\x1b[1mx\x1b[22m",
    "x",
  ]);
});

Deno.test("JSON on a terminal has no control characters", () => {
  let printed = "";
  new Output({ print: (text) => printed += text, printError: () => {}, isTerminal: true, json: true })
    .json({ title: "a\x9b31m\u202e\x1b" });
  assertEquals(printed, '{\n  "title": "a\\u009b31m\\u202e\\u001b"\n}\n');
});
