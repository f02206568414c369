import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { convertMan } from "../../../src/extraction/man/convert.ts";
import { isManPage } from "../../../src/extraction/man/is_man_page.ts";
import { extract, ExtractionError } from "../../../src/extraction/mod.ts";
import type { ExtractedText } from "../../../src/extraction/types.ts";

async function read(content: string, filename = "page.1"): Promise<ExtractedText> {
  const found = await extract({ bytes: new TextEncoder().encode(content), filename, contentType: undefined });
  assert(found);
  return found;
}

/** Returns the text of a page of `man` without its title. */
async function body(source: string): Promise<string> {
  return (await read(`.TH X 1\n${source}`)).text.replace(/^# .*\n\n/, "");
}

Deno.test("a manual page has its title, headings, paragraphs and tagged lists", async () => {
  const found = await read(String.raw`'\" t
.\" Comment
.TH LS "1" "2026-01-02" "GNU" "User Commands"
.SH NAME
ls, dir \- list directory \fIcontents\fR
.SH "SEE \(bu ALSO"
List the
.BR FILE s.
.PP
Second\&.
.TP
.B \-a\fR, \fB\-\-all
do not ignore
entries
.TP 4
\-x
.RS
.IP \(bu 2
one
.IP 2.
two
.RE
.SS Inner
.nf
  int \fBx\fR;

y
.fi
.UR http://example.org
link
.UE .
`);
  assertEquals([found.docType, found.title, found.markup, found.metadata, found.warnings], [
    "man",
    "ls(1) – list directory contents",
    "markdown",
    { created: "2026-01-02", section: "1" },
    [],
  ]);
  assertEquals(
    found.text,
    `# ls(1) – list directory contents

## NAME

ls, dir - list directory contents

## SEE • ALSO

List the FILEs.

Second.

- **-a, --all**: do not ignore entries
- **-x**
  - one
  2. two

### Inner

${"```"}
  int x;

y
${"```"}

link <http://example.org>.
`,
  );
});

Deno.test("a page of mdoc is read with its callable macros", async () => {
  const { text, title } = await read(`.Dd May 1, 2026
.Dt LS 1
.Os
.Sh NAME
.Nm ls
.Nd list files
.Sh SYNOPSIS
.Nm
.Op Fl a Ns Ar x | Fl Fl all
.Ar
.Nm
.Oo Fl b Oc
.Sh DESCRIPTION
See
.Xr printf 3 ,
.Dq Li two words .
.Bl -tag -width x
.It Fl a , Fl b Ar file
Text.
.Bl -enum
.It
First.
.El
.El
.Bl -column a b
.It Em Name Ta Size
.It a Ta 4
.El
.Fn open "const char *path" "int flags"
.Bd -literal
code  here
.Ed
`);
  assertEquals(title, "ls(1) – list files");
  assertEquals(
    text,
    `# ls(1) – list files

## NAME

ls – list files

## SYNOPSIS

ls [-ax | --all] file ...
ls [-b]

## DESCRIPTION

See printf(3), “two words”.

- **-a, -b file**: Text.
  1. First.

| Name | Size |
| --- | --- |
| a | 4 |

open(const char *path, int flags)

${"```"}
code  here
${"```"}
`,
  );
});

Deno.test("strings, conditions and definitions of a page are evaluated as for a terminal", async () => {
  const preamble = [
    ".de XX",
    ".SH hidden",
    "..",
    ".ie n \\{\\",
    ".ds -- \\(em",
    "'br\\}",
    ".el\\{\\",
    ".ds -- wrong",
    "'br\\}",
    ".ie \\n(.g .ds Aq \\(aq",
    ".el       .ds Aq '",
    ".if t text",
    ".if !n .PP",
    ".ig",
    "ignored",
    "..",
  ].join("\n");
  assertEquals(await body(`${preamble}\n.SH A\na\\*(--b\\*(Aq\\*[lq]c\\*(zz\n`), "## A\n\na—b'“c\n");
});

Deno.test("text that strings of a page add is limited", async () => {
  const doubled = Array.from(
    { length: 40 },
    (_, i) => `.ds a${String.fromCharCode(98 + i % 20)} \\*(aa\\*(aa\n`,
  ).join("");
  const { text } = await read(
    `.TH X 1\n.ds aa ${"x".repeat(400)}\n${doubled}.SH A\n${"\\*(ab".repeat(100_000)} end\n`,
  );
  assert(text.length < 1_100_000 && text.endsWith(" end\n"), `${text.length}`);
});

Deno.test("escapes are resolved or dropped", async () => {
  const line = String
    .raw`a\-b\e\(co\[u00E9]\['e]\(:u \s-2small\s0 \h'2n'x\v'-1'\w'abc'y\f(CWz\fP\m[red]r\m[] \N'65'\o'e^' q\c
r \" comment`;
  assertEquals(await body(`.SH A\n${line}\n`), "## A\n\na-b\\©ééü small xyzr Ae qr\n");
});

Deno.test("tables of tbl are Markdown tables", async () => {
  const table = ".TS\nallbox tab(;);\nlb lb\nl l.\nName;\\fISize\\fR\n_\na;T{\nfour\n.B big\nT}\nb;8\n.TE";
  assertEquals(
    await body(`.SH A\n${table}\n`),
    "## A\n\n| Name | Size |\n| --- | --- |\n| a | four big |\n| b | 8 |\n",
  );
});

Deno.test("a page that includes others has a warning, one that is only a link no text", async () => {
  const { warnings } = await read(".TH X 1\n.SH A\nText.\n.so man1/ls.1\n");
  assertEquals(warnings, ["The page includes man1/ls.1, which was not read: upload it, too."]);
  const error = await assertRejects(() => read('.\\" link\n.so man1/ls.1\n.\\" end\n'), ExtractionError);
  assertEquals([error.code, error.message], [
    "no_text",
    "No text found in page.1 (it only refers to man1/ls.1): upload that page",
  ]);
});

Deno.test("manual pages are recognized by their title macro, not by their name", async () => {
  const typeOf = async (content: string, name: string) => (await read(content, name)).docType;
  const page = ".TH LS 1\n.SH NAME\nls\n";
  for (const name of ["ls.1", "printf.3p", "page.man", "README", "a.txt", "ls.1.in"]) {
    assertEquals(await typeOf(page, name), "man");
  }
  assertEquals(await typeOf(`\\# setup\n${page}`, "top.1"), "man");
  assertEquals(await typeOf(page, "ls.md"), "markdown");
  assertEquals(await typeOf("Sales of May.\n.TH is no macro here\n", "report.1"), "text");
  assertEquals(await typeOf(". /etc/profile\n.TH LS 1\n", "start.1"), "text");
  assertEquals(await typeOf(".SH NAME\nls\n", "page.man"), "text");
  assertEquals(await typeOf("... and so on.\n", "notes.txt"), "text");
  // Pages of perl define many macros before the title.
  assertEquals(
    await typeOf(`.de Sp \\" x\n.if t .sp\n${".ds x y\n".repeat(1_000)}..\n${page}`, "perl.1"),
    "man",
  );
  for (
    const head of [
      ".".repeat(65_536),
      ".\n".repeat(32_768),
      ".de a\n".repeat(10_000),
      "'".repeat(9),
      ".TH\n",
      ".so\n",
    ]
  ) {
    assertEquals(isManPage(head), false, head.slice(0, 10));
  }
});

Deno.test("hostile pages of megabytes are read in one pass", async () => {
  const marks = [
    "\\",
    "\\(",
    "\\[",
    "\\*",
    "\\*[",
    "\\s",
    "\\h'",
    "\\{",
    '"',
    '""',
    " ",
    ".RS\n",
    ".Bl -tag\n.It a\n",
    ".de a\n",
  ].concat(
    ".if n ",
    ".if n \\{\\\n",
    ".if t \\{\n",
    ".ie t \\{\n.el ",
    ".Op Fl ",
    "\\\n",
    ".TS\n",
    "T{\n",
    "\t",
    ".ds a \\*a\\*a\n",
  );
  for (const mark of marks) {
    const many = mark.repeat(60_000 / mark.length);
    const { text } = await read(
      `.TH X 1\n.SH First\nText.\n${many}\n.B ${many}\n.Em ${many}\n.TS\nl.\n${many}\n.TE\n`,
    );
    assert(text.includes("## First\n\nText."), mark);
  }
});

Deno.test("a table with many cells on one line, or one wide row above many, is hardly longer than its source", async () => {
  const cells = "\tx".repeat(200_000);
  const { text } = await read(`.TH X 1\n.SH First\nText.\n.TS\nl.\nT{\nfirst\nT}${cells}\n.TE\n`);
  assert(text.includes("| first | x |"));
  const table = `.TS\nl.\nx${cells.slice(0, 1_900)}\n${"y\n".repeat(900)}.TE\n`;
  const source = `.TH X 1\n.SH First\nText.\n${table.repeat(3)}`;
  assert((await read(source)).text.length < 10 * source.length);
});

Deno.test("a long name of a page is not repeated by macros that stand for it", async () => {
  const lines = `.Em ${"Nm ".repeat(2_000)}\n`.repeat(3);
  for (const title of [`.Dt ${"x".repeat(9_000)} 1`, `.Dt X 1\n.Nm ${"x".repeat(9_000)}`]) {
    const { text } = await read(`.Dd May 1, 2026\n${title}\n.Sh First\nText.\n${lines}`);
    assert(text.length < 1_000_000, `${text.length}`);
  }
});

Deno.test("macros that write sentences stop at the maximum length of a document", () => {
  const error = assertThrows(
    () => convertMan(`.TH X 1\n.SH First\n${".Rv\n".repeat(220_000)}`),
    ExtractionError,
  );
  assertEquals(error.code, "too_large");
});
