import { assertEquals } from "@std/assert";
import { htmlToMarkdown } from "../../../src/extraction/html/to_markdown.ts";
import { parseHtml } from "../../../src/extraction/html/tree.ts";

// The results of turndown 7.2.5 with the same rules, over linkedom.
for (
  const [what, html, markdown] of [
    ["white space is collapsed", "<p>a\n  b</p><p>c</p>", "a b\n\nc"],
    ["white space around inline elements stays once", "a<b> b </b>c <i>d </i> e", "a **b** c *d* e"],
    ["empty inline elements are left out", "<p>a <b></b> b<em> </em>c</p>", "a b c"],
    ["comments are left out", "<p>a<!-- c --> b</p>", "a b"],
    ["a heading is one line", "<h2>a\n<br>b</h2><h3> </h3>", "## a b"],
    [
      "nested lists are numbered and indented",
      "<ul><li>a<ol start=3><li>b<li><p>c<p>d</ol><li></li><li>e</ul>",
      "- a\n\n  3. b\n  4. c\n\n     d\n\n- e",
    ],
    ["an empty item has no number", "<ol><li>a</li><li> </li><li>b</li></ol>", "1. a\n\n2. b"],
    ["text of pre keeps its lines", "<pre>a\n  b # c</pre>", "```\na\n  b # c\n```"],
    [
      "a fence is longer than those of its code",
      "<pre><code class='x language-js'>a\n```\nb\n</code></pre>",
      "````js\na\n```\nb\n````",
    ],
    ["pre without code is a fence", "<pre><b>a</b><br><code>b</code></pre>", "```\na\nb\n```"],
    [
      "code spans are delimited and padded",
      "<p><code>a `b` c</code> <code> </code> <code>`x</code> <code>&nbsp; y&nbsp;</code></p>",
      "``a `b` c`` `` `x `` \u00a0 `y`",
    ],
    ["a quote has markers", "<blockquote><p>a</p>b</blockquote>", "> a\n> \n> b"],
    [
      "a table has a header row and escaped bars",
      "<table><caption>c</caption><tr><th>a|b<td>c<tr><td><p>d</p><p>e</p><td></table>",
      "c\n\n| a\\|b | c |\n| --- | --- |\n| d e |  |",
    ],
    [
      "a table with a table in it is a layout",
      "<table><tr><td><table><tr><td>a</table><td>b</table>",
      "a\n\nb",
    ],
    ["definition lists are paragraphs", "<dl><dt>a<dd>b</dl>", "**a**\n\nb"],
    [
      "cells that cover several rows and columns are written once",
      "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>c<td>d<td><tr><td>e<td>f</table>",
      "| a |  | b |\n| --- | --- | --- |\n| c | d |  |\n|  | e | f |",
    ],
    [
      "a caption is above its table",
      "<table><caption>x</caption><tr><th>a<th>b<tr><td>1<td></table>",
      "x\n\n| a | b |\n| --- | --- |\n| 1 |  |",
    ],
    ["a summary is a block", "<details><summary>a</summary>b</details>", "a\n\nb"],
    [
      "highlighters name the language",
      "<div class='highlight-python notranslate'><div class=highlight><pre><span>x</span>\ny</pre></div></div>",
      "```python\nx\ny\n```",
    ],
    ["a formula is its LaTeX", "<p>So <math alttext='x^2'><mi>x</mi></math>.</p>", "So $x^2$."],
    ["lines and rules", "a<br>b<hr>c", "a  \nb\n\n---\n\nc"],
    [
      "markers of headings and fences are escaped",
      "<p># a</p><p>``` b</p><p>c # d</p>",
      "\\# a\n\n\\``` b\n\nc # d",
    ],
    ["links and pictures keep their text", "<a href=x>a<b>b</b>c</a><img alt=' d\n e ' src=f>", "a**b**cd e"],
    ["invisible elements are left out", "a<object>b</object><canvas>c</canvas>d", "ad"],
    ["no-break spaces move out of emphasis", "&nbsp;a&nbsp;<b>&nbsp;b&nbsp;</b>", "\u00a0a\u00a0\u00a0**b**"],
    ["void elements separate words", "<p>a<input>b <wbr> c</p>", "ab  c"],
  ] as const
) {
  Deno.test(`htmlToMarkdown: ${what}`, () => assertEquals(htmlToMarkdown(parseHtml(html).body), markdown));
}
