import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { extract } from "../../../src/extraction/extract.ts";
import { ExtractionError } from "../../../src/extraction/errors.ts";
import type { ExtractedText } from "../../../src/extraction/types.ts";

async function read(content: string, filename: string): Promise<ExtractedText> {
  const found = await extract({ bytes: new TextEncoder().encode(content), filename, contentType: undefined });
  assert(found);
  return found;
}

Deno.test("JSON is written as lines with the path of each value, and lists of objects as records", async () => {
  const found = await read(
    JSON.stringify({
      title: "Stock of teas",
      shop: { city: "Ōsaka", open: true, at: [34.7, 135.5] },
      teas: [{ name: "Sencha", tags: ["green", "japan"], prices: [{ kg: 1 }, { kg: 2 }] }, {
        name: "Assam",
        origin: null,
      }],
      logo: `data:image/png;base64,${"iVBORw0K".repeat(200)}`,
    }),
    "teas.json",
  );
  assertEquals([found.docType, found.title, found.markup], ["json", "Stock of teas", "plain"]);
  assertStringIncludes(found.text, "shop.city: Ōsaka\nshop.open: true\nshop.at: 34.7, 135.5\n");
  assertStringIncludes(
    found.text,
    "name: Sencha\ntags: green, japan\nprices[0].kg: 1\nprices[1].kg: 2\n\nname: Assam\norigin: null\n",
  );
  assert(!found.text.includes("iVBORw0K"));
  assertEquals(found.outline?.map(({ title }) => title), ["shop", "teas"]);
  const { start = 0 } = found.outline?.[1] ?? {};
  assert(found.text.slice(start).trimStart().startsWith("teas:\n"));
});

Deno.test("each line of JSON Lines is a record, and a broken one stays", async () => {
  const { text, warnings } = await read('{"a":1}\n{"a":2}\n{"a":3}\n{"a":4}\n{"a":5\n', "a.jsonl");
  assertEquals([text, warnings], ['a: 1\n\na: 2\n\na: 3\n\na: 4\n{"a":5\n', []]);
});

Deno.test("what is no JSON is plain text with a warning", async () => {
  const { docType, text, warnings } = await read("{ // comment\n a: 1 }", "a.json");
  assertEquals([docType, text], ["json", "{ // comment\n a: 1 }"]);
  assertStringIncludes(warnings?.[0] ?? "", "no valid JSON");
});

Deno.test("json: lists in each other without words are read at any depth", async () => {
  const nested = (value: string) => "[".repeat(200_000) + value + "]".repeat(200_000);
  assertEquals((await read(nested("1,[2]"), "a.json")).text, "1, 2\n");
  await assertRejects(() => read(nested(""), "a.json"), ExtractionError, "its values are empty");
});

Deno.test("deeply nested JSON is read without recursion", async () => {
  const { text } = await read("[".repeat(50_000) + '"deep"' + "]".repeat(50_000), "a.json");
  assertStringIncludes(text, "deep");
});

Deno.test("an RSS feed has a heading, date, link and converted text for each item", async () => {
  const found = await read(
    `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
     <title>Tea News</title><language>en</language>
     <item><title>Sencha &amp; more</title><link>https://example.org/1</link><pubDate>Tue, 31 Mar 2026 09:00:00 GMT</pubDate>
     <description>Short.</description><content:encoded><![CDATA[<p>Short. Very <b>long</b>.</p><ul><li>one</li></ul>]]></content:encoded></item>
     </channel></rss>`,
    "feed.xml",
  );
  assertEquals([found.docType, found.title, found.metadata?.["language"]], ["xml", "Tea News", "en"]);
  assertStringIncludes(found.text, "# Tea News\n\n## Sencha & more\n\n2026-03-31 · https://example.org/1");
  assertStringIncludes(found.text, "Short. Very **long**.\n\n-");
});

Deno.test("an Atom feed is read by its signature, also without an extension", async () => {
  const { docType, text } = await read(
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title><entry><title>Entry</title><updated>2026-03-31T00:00:00Z</updated>' +
      '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hello <em>you</em></p></div></content></entry></feed>',
    "log",
  );
  assertEquals(docType, "xml");
  assertStringIncludes(text, "# Log\n\n## Entry\n\n2026-03-31\n\nHello *you*");
});

Deno.test("XML data is lines, an XML document paragraphs with headings", async () => {
  const data = await read(
    '<?xml version="1.0"?><teas xmlns:t="urn:t"><tea code="S1"><name>Sencha</name><t:price cur="JPY">900</t:price></tea><tea><name>Assam</name><price/></tea></teas>',
    "teas.xml",
  );
  assertEquals([data.text, data.markup], [
    "code: S1\nname: Sencha\nprice cur=JPY: 900\n\nname: Assam\n".replace(
      "\n\nname: Assam\n",
      "\n\nname: Assam\n",
    ),
    "plain",
  ]);
  const book = await read(
    "<article><title>On tea</title><section><title>Water</title><para>Boil <emphasis>it</emphasis>.</para><programlisting>a  b</programlisting></section></article>",
    "tea.xml",
  );
  assertEquals([book.title, book.markup], ["On tea", "markdown"]);
  assertEquals(book.text, "# On tea\n\n## Water\n\nBoil it.\n\n```\na  b\n```\n");
});

Deno.test("entities of a DTD are not expanded", async () => {
  const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i + 1} "&e${i};&e${i};">`).join("");
  const { text } = await read(
    `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "lol">${entities}]><a><b>x &e20; y</b></a>`,
    "bomb.xml",
  );
  assert(text.length < 100, text);
});

Deno.test("XML that is nested too deeply is refused", async () => {
  const error = await assertRejects(() => read("<a>".repeat(10_000), "deep.xml"), ExtractionError);
  assertEquals(error.code, "too_large");
});

Deno.test("a notebook has its texts, code and bounded outputs, and no pictures", async () => {
  const found = await read(
    JSON.stringify({
      nbformat: 4,
      metadata: { language_info: { name: "python" }, authors: [{ name: "Ann Lee" }] },
      cells: [
        { cell_type: "markdown", source: ["# Tea study\n", "![plot](attachment:a.png) Words."] },
        {
          cell_type: "code",
          source: "print('```')",
          outputs: [
            { output_type: "stream", text: ["\u001b[31mred\u001b[0m\n", "x".repeat(30_000)] },
            { output_type: "display_data", data: { "image/png": "iVBORw0K" } },
          ],
        },
        {
          cell_type: "code",
          source: [],
          outputs: [{ data: { "text/html": "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>" } }],
        },
        {
          cell_type: "code",
          source: "1/0",
          outputs: [{ output_type: "error", ename: "ZeroDivisionError", evalue: "division" }],
        },
        "broken",
      ],
    }),
    "study.ipynb",
  );
  assertEquals([found.docType, found.title, found.metadata], ["ipynb", "Tea study", { author: "Ann Lee" }]);
  assertStringIncludes(found.text, "plot Words.\n\n````python\nprint('```')\n````\n\n```\nred\nxxx");
  assertStringIncludes(found.text, "more characters of output)");
  assertStringIncludes(found.text, "| a |\n| --- |\n| 1 |");
  assertStringIncludes(found.text, "ZeroDivisionError: division");
  assert(found.text.length < 12_000 && !found.text.includes("iVBORw0K"));
});

Deno.test("a notebook of format 3 is read by its worksheets", async () => {
  const { text, title } = await read(
    JSON.stringify({
      nbformat: 3,
      worksheets: [{
        cells: [
          { cell_type: "heading", level: 2, source: "Water" },
          {
            cell_type: "code",
            language: "python",
            input: "x = 1",
            outputs: [{ output_type: "pyout", text: ["1"] }],
          },
        ],
      }],
    }),
    "old.ipynb",
  );
  assertEquals([title, text], ["Water", "## Water\n\n```python\nx = 1\n```\n\n```\n1\n```\n"]);
});

Deno.test("captions become paragraphs with a time, rolling ones are merged", async () => {
  const vtt = await read(
    "WEBVTT - Tea talk\nLanguage: en\n\nNOTE hidden\n\nintro\n00:00:01.000 --> 00:00:03.000 align:start\n<v Ann>Hello &amp; welcome\n\n" +
      "00:00:03.000 --> 00:00:05.000\n<v Ann>to the <b>talk</b>.\n\n01:02:03.000 --> 01:02:05.000\nLater.\n",
    "talk.vtt",
  );
  assertEquals([vtt.docType, vtt.title, vtt.metadata], ["subtitles", "Tea talk", { language: "en" }]);
  assertEquals(vtt.text, "[00:00:01] Ann: Hello & welcome to the talk.\n\n[01:02:03] Later.\n");
  const unnamed = await read("WEBVTT FILE\n\n00:01.000 --> 00:03.000\nHello.\n", "a.vtt");
  assertEquals(unnamed.title, undefined);
  const srt = await read(
    "1\n00:00:01,000 --> 00:00:02,000\nthe water\n\n2\n00:00:02,000 --> 00:00:03,000\nthe water\nis hot\n\n3\n00:00:03,000 --> 00:00:04,000\nis hot\nnow\n",
    "talk.srt",
  );
  assertEquals(srt.text, "[00:00:01] the water is hot now\n");
});

Deno.test("markup languages have their title and metadata", async () => {
  const adoc = await read("= Tea\nAnn Lee\n\nWater.\n", "tea.adoc");
  assertEquals([adoc.docType, adoc.title, adoc.markup, adoc.metadata], ["asciidoc", "Tea", "markdown", {
    author: "Ann Lee",
  }]);
  const org = await read("#+TITLE: Tea\n#+FILETAGS: hot\nWater.\n", "tea.org");
  assertEquals([org.docType, org.title, org.tags], ["org", "Tea", ["hot"]]);
  assertEquals((await read("Tea\n===\n\nWater.\n", "tea.rst")).title, "Tea");
  const dated = async (date: string) =>
    (await read(`Tea\n===\n\n:Date: ${date}\n\nWater.\n`, "tea.rst")).metadata;
  assertEquals(await dated("$Date$"), undefined);
  assertEquals(await dated("$Date: 2024/05/01 10:00:00 $"), { created: "2024-05-01" });
  const tex = await read(
    "\\documentclass{article}\\title{Tea}\\begin{document}Water.\\end{document}",
    "tea.txt",
  );
  assertEquals([tex.docType, tex.title, tex.text], ["latex", "Tea", "# Tea\n\nWater.\n"]);
});
