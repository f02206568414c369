import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { convertAsciiDoc } from "../../../src/extraction/markup/asciidoc.ts";
import { convertLatex } from "../../../src/extraction/markup/latex.ts";
import { convertOrg } from "../../../src/extraction/markup/org.ts";
import { convertRst } from "../../../src/extraction/markup/rst.ts";

Deno.test("AsciiDoc: title, author, attributes, sections, lists, code, tables and references", () => {
  const { title, text, metadata } = convertAsciiDoc(`= Tea Guide
Ann Lee <ann@example.org>
v1.2, 2026-03-31
:product: Teapot 3000
:keywords: tea, water
// a comment

Use the {product}, see <<water,the water>> and https://example.org[this page].

== Water [[water]]

.Steps
* Boil
** Gently
. First

[source,ruby]
----
puts "= no heading"
----

|===
|Tea |Minutes

|Green |2
|Black |
|===

NOTE: Do not burn it.footnote:[Really.]
`);
  assertEquals([title, metadata], [
    "Tea Guide",
    { author: "Ann Lee", created: "2026-03-31", keywords: "tea, water" },
  ]);
  assertStringIncludes(text, "Use the Teapot 3000, see the water and this page.");
  assertStringIncludes(text, "\n## Water\n");
  assertStringIncludes(text, "**Steps**\n\n- Boil\n   - Gently\n1. First");
  assertStringIncludes(text, '```ruby\nputs "= no heading"\n```');
  assertStringIncludes(text, "| Tea | Minutes |\n| --- | --- |\n| Green | 2 |\n| Black |  |");
  assertStringIncludes(text, "Do not burn it. (Really.)");
  assert(!text.includes("comment"));
});

Deno.test("reStructuredText: sections, fields, directives, tables, roles and literal blocks", () => {
  const { title, text, metadata } = convertRst(`=========
Tea Guide
=========

:Author: Ann Lee
:Date: 2026-03-31

.. |pot| replace:: Teapot 3000
.. _water: https://example.org

Use the |pot|, see \`the
water <https://example.org>\`_, :ref:\`pots <pots>\` and \`\`code\`\`, or water_.

Water
-----

Boil it::

    kettle --on

.. note:: Do not
   burn it.

.. code-block:: python

   print("tea")

.. comment that is dropped

=====  =======
Tea    Minutes
=====  =======
Green  2
Black
=====  =======

+-----+-----+
| A   | B   |
+=====+=====+
| one | two |
+-----+-----+

.. list-table:: Pots

   * - Name
     - Size
   * - Small
     - 1 l

.. [1] A footnote.
`);
  assertEquals([title, metadata], ["Tea Guide", { author: "Ann Lee", created: "2026-03-31" }]);
  assertStringIncludes(text, "Use the Teapot 3000, see the\nwater, pots and `code`, or water.");
  assertStringIncludes(text, "\n## Water\n\nBoil it:\n\n```\nkettle --on\n```");
  assertStringIncludes(text, "**Note:**\n\nDo not\nburn it.");
  assertStringIncludes(text, '```python\nprint("tea")\n```');
  assertStringIncludes(text, "| Tea | Minutes |\n| --- | --- |\n| Green | 2 |\n| Black |  |");
  assertStringIncludes(text, "| A | B |\n| --- | --- |\n| one | two |");
  assertStringIncludes(text, "| Name | Size |\n| --- | --- |\n| Small | 1 l |");
  assertStringIncludes(text, "[1] A footnote.");
  assert(!text.includes("dropped"));
});

Deno.test("Org: keywords, headings, drawers, blocks, tables and links", () => {
  const { title, text, metadata, tags } = convertOrg(`#+TITLE: Tea Guide
#+AUTHOR: Ann Lee
#+DATE: <2026-03-31 Tue>
#+FILETAGS: :tea:water:
# a comment
* TODO Water :hot:
:PROPERTIES:
:ID: secret
:END:
See [[https://example.org][the page]] and =code=.
#+begin_src python
print("tea")
#+end_src
#+begin_quote
Hot.
#+end_quote
| Tea   | Minutes |
|-------+---------|
| Green | 2       |
| Black |         |
- Pot :: for tea
: fixed
`);
  assertEquals([title, metadata, tags], ["Tea Guide", { author: "Ann Lee", created: "2026-03-31" }, [
    "tea",
    "water",
  ]]);
  assertStringIncludes(text, "# Tea Guide\n\nAnn Lee\n\n## TODO Water\n");
  assertStringIncludes(text, "See the page and `code`.");
  assertStringIncludes(text, '```python\nprint("tea")\n```');
  assertStringIncludes(text, "> Hot.");
  assertStringIncludes(text, "| Tea | Minutes |\n| --- | --- |\n| Green | 2 |\n| Black |  |");
  assertStringIncludes(text, "- **Pot**: for tea");
  assertStringIncludes(text, "```\nfixed\n```");
  assert(!/secret|comment/.test(text));
});

Deno.test("LaTeX: title, sections, lists, footnotes, formulas, tables, code and accents", () => {
  const { title, text, metadata } = convertLatex(String.raw`\documentclass{article}
\usepackage[ngerman]{babel}
\newcommand{\pot}{Teapot~3000}
\title{Tea \emph{Guide}}
\author{Ann Lee\thanks{Grant} \and Bo \v{C}ech}
\date{\today}
\begin{document}
\maketitle
\begin{abstract}Short.\end{abstract}
\section{Water}\label{sec:water}
Use the \pot{} at 95\,\% % a comment
--- as in Table~\ref{tab:a}\footnote{Not \textbf{boiling}.} and \cite[p.~3]{lee}.
Caf\'e, na\"{\i}ve, stra\ss e, ${"``"}quoted''.
\begin{itemize}
  \item Green
  \begin{enumerate}
    \item first
  \end{enumerate}
  \item[Black] strong
\end{itemize}
Euler: $e^{i\pi}=-1$ and
\begin{equation}\label{eq:x}
  a^2 + b^2
\end{equation}
\begin{table}\caption{Times}
\begin{tabular}{l|r}
\hline Tea & Minutes \\ \hline
Green & 2 \\
Black & \\
\end{tabular}
\end{table}
\begin{lstlisting}[language=Python]
x = 5 % 2
\end{lstlisting}
\unknown[opt]{kept words} \verb|a_b|
\input{other}
\end{document}
`);
  assertEquals([title, metadata], ["Tea Guide", { author: "Ann Lee, Bo Čech", language: "de" }]);
  assertStringIncludes(text, "# Tea Guide\n\nAnn Lee, Bo Čech\n\n## Abstract\n\nShort.\n\n## Water");
  assertStringIncludes(text, "Use the Teapot 3000 at 95 %");
  assertStringIncludes(text, "Table [tab:a] (Not boiling.) and [p. 3, lee].");
  assertStringIncludes(text, "Café, naïve, straße, “quoted”.");
  assertStringIncludes(text, "- Green");
  assertStringIncludes(text, "   1. first");
  assertStringIncludes(text, "- **Black** strong");
  assertStringIncludes(text, "$e^{i\\pi}=-1$");
  assertStringIncludes(text, "$$\na^2 + b^2\n$$");
  assertStringIncludes(text, "Times");
  assertStringIncludes(text, "| Tea | Minutes |\n| --- | --- |\n| Green | 2 |\n| Black |  |");
  assertStringIncludes(text, "```Python\nx = 5 % 2\n```");
  assertStringIncludes(text, "kept words `a_b`");
  assert(!/comment|Grant|other/.test(text));
});

Deno.test("markup that is nested without end is converted in bounded time and depth", () => {
  const repeated = (text: string) => text.repeat(20_000);
  for (
    const source of [
      repeated("\\textbf{"),
      repeated("\\footnote{"),
      repeated("{"),
      repeated("$"),
      repeated("\\begin{itemize}\\item "),
      repeated("\\caption{"),
    ]
  ) convertLatex(source);
  for (
    const source of [
      repeated(".. note::\n\n "),
      repeated("`"),
      repeated("|a"),
      repeated("=\n"),
      repeated("*a "),
    ]
  ) {
    convertRst(source);
    convertAsciiDoc(source);
    convertOrg(source);
  }
});

Deno.test("LaTeX: macros that repeat themselves or each other end", () => {
  assertEquals(convertLatex("\\newcommand{\\a}{x\\a\\a}Kettle \\a.").text.trim(), "Kettle x.");
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const chain = Array.from(
    letters,
    (name, i) => `\\def\\q${name}{\\q${letters[i + 1] ?? "end"}\\q${letters[i + 1] ?? "end"}}`,
  );
  const convert = (name: string) =>
    convertLatex(`${chain.join("")}\\def\\qend{tea}Kettle \\${name}.`).text.trim();
  assertEquals(convert("qx"), `Kettle ${"tea".repeat(8)}.`);
  assertEquals(convert("qa"), "Kettle .");
});
