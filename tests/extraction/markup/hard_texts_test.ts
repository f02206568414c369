import { assert, assertEquals } from "@std/assert";
import { extract } from "../../../src/extraction/mod.ts";
import { convertLatex } from "../../../src/extraction/markup/latex.ts";

/** Marks that nothing closes, each in the language whose patterns read on from every one of them. */
const MARKS: Readonly<Record<string, readonly string[]>> = {
  adoc: [
    "http://",
    "link:",
    "link:a[",
    "image:a[",
    "image::a[",
    "menu:a[",
    "[[a,",
    "<<a,",
    "footnote:[",
    "kbd:[",
    "stem:[",
    "#a ",
    "{a",
  ],
  rst: [":+", "::", ":a:`", "`a", "``a ", "'a_", "|a"],
  org: ["[[a][", "=a", "<<a", "[["],
  tex: ["\\usepackage[", "\\inst[", "\\label{", "\\cline(", "\\\\[", "~", "&"],
  xml: ["\n", "\u2003"],
};

const texts: Readonly<Record<string, (marks: string) => string>> = {
  xml: (marks) => `<doc><para>Text.</para><programlisting>a${marks}b</programlisting></doc>`,
  tex: (marks) =>
    `\\documentclass{article}\n${marks}\n\\author{${marks}}\n\\begin{document}\nText.\n${marks}x\n` +
    `\\begin{equation}${marks}\\end{equation}\n\\begin{tabular}{l}${marks}\\end{tabular}\n\\end{document}`,
};

/** Returns a line that is short enough for its marks to be converted. */
function longLine(marks: string): string {
  return marks.slice(0, 9_900);
}

for (const [extension, marks] of Object.entries(MARKS)) {
  Deno.test(`${extension}: long lines of open marks and of spaces take linear time`, async () => {
    for (const mark of [...marks, " ", "\t", "\u00a0"]) {
      const many = mark.repeat(100_000 / mark.length);
      const text = (texts[extension] ?? ((marks: string) =>
        `Text.\n\n${longLine(marks)}\n\n= a${marks}b\n\n${marks}b\n`))(many);
      const bytes = new TextEncoder().encode(text);
      const read = await extract({ bytes, filename: `a.${extension}`, contentType: undefined });
      assertEquals(read?.text.includes("Text."), true);
    }
  });
}

/** Returns how many characters `indexOf` reads while a function runs. */
function charactersSearched(run: () => void): number {
  const { indexOf } = String.prototype;
  let searched = 0;
  String.prototype.indexOf = function (this: string, text: string, from = 0) {
    const found = indexOf.call(this, text, from);
    searched += (found < 0 ? this.length : found) - from;
    return found;
  };
  try {
    run();
  } finally {
    String.prototype.indexOf = indexOf;
  }
  return searched;
}

Deno.test("LaTeX definitions without a body, a line end or either search no text again", () => {
  const texts = [
    ["\\def\n", ""],
    ["\\def\n", "{"],
    ["\\def\\a{}", "\n"],
    ["\\newcommand\\a{}", "\n"],
  ] as const;
  for (const [definition, end] of texts) {
    const text = `\\begin{document}${definition.repeat(20_000)}${end}\nText.\\end{document}`;
    const searched = charactersSearched(() => {
      assertEquals(convertLatex(text).text.trim(), "Text.");
    });
    assert(searched <= 2 * text.length, `${definition}: ${searched} of ${text.length} characters`);
  }
});

Deno.test("LaTeX code whose delimiters do not occur again is not searched for in all of the text", () => {
  const code = Array.from({ length: 1000 }, (_, i) => `\\verb${String.fromCharCode(0x4e00 + i)}`).join("");
  const text = `\\begin{document}${code}${"x".repeat(1_000_000)} \\verb|a b|, \\verb+c+.\\end{document}`;
  const searched = charactersSearched(() => {
    assert(convertLatex(text).text.endsWith("x `a b`, `c`.\n"));
  });
  assert(searched <= 4 * text.length, `${searched} of ${text.length} characters`);
});

/** More lines than a function may have arguments. */
const MANY = 200_000;

for (
  const [name, text] of [
    ["table.org", "| a | b |\n".repeat(MANY)],
    ["quote.org", `#+begin_quote\n${"a\n".repeat(MANY)}#+end_quote\n`],
    ["table.adoc", `|===\n${"|a |b\n".repeat(MANY)}|===\n`],
    ["math.rst", `.. math::\n\n${"   a\n".repeat(MANY)}`],
    ["note.rst", `x\n\n.. note::\n\n${"   a\n".repeat(MANY)}`],
    ["math.tex", `\\begin{document}\n\\begin{equation}\n${"a\n".repeat(MANY)}\\end{equation}\\end{document}`],
    [
      "table.tex",
      `\\begin{document}\n\\begin{tabular}{l}${"a\\\\\n".repeat(MANY)}\\end{tabular}\\end{document}`,
    ],
  ] as const
) {
  Deno.test(`${name} of ${MANY} lines is read`, async () => {
    const bytes = new TextEncoder().encode(text);
    const read = await extract({ bytes, filename: name, contentType: undefined });
    assertEquals(read?.text.split("\n").filter((line) => /^(?:> |\| )?a/.test(line)).length, MANY);
  });
}

Deno.test("a reStructuredText table keeps its columns, however wide they are", async () => {
  const row = (...cells: string[]) => cells.map((cell) => cell.padEnd(400)).join("  ").trimEnd();
  const ruler = `${"=".repeat(400)}  ===`;
  const text = [ruler, row("Name", "Size"), ruler, row("a", "4"), row("b ".repeat(200), "8"), ruler].join(
    "\n",
  );
  const bytes = new TextEncoder().encode(text);
  const read = await extract({ bytes, filename: "a.rst", contentType: undefined });
  assertEquals(read?.text.split("\n").slice(0, 3), ["| Name | Size |", "| --- | --- |", "| a | 4 |"]);
});
