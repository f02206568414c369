import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { extract } from "../../../src/extraction/extract.ts";
import type { ExtractedText } from "../../../src/extraction/types.ts";

async function page(html: string): Promise<ExtractedText> {
  const found = await extract({
    bytes: new TextEncoder().encode(html),
    filename: "x.html",
    contentType: undefined,
  });
  assert(found);
  return found;
}

const TEXT = "A paragraph about tea and water that is long enough to be the text of this page. ".repeat(5);
const MENU = `<ul>${"<li><a href='/x'>Some topic</a></li>".repeat(8)}</ul>`;

Deno.test("menus, hidden elements and navigation bars are not part of the text", async () => {
  const { text } = await page(
    `<body><div class="navheader">Prev Next</div><ul class="docnav top"><li>Up</li></ul>${MENU}<p>${TEXT}<a class="headerlink" href="#a">¶</a></p>` +
      '<p style="color: red; display:none">secret</p><p aria-hidden="true">secret</p><footer>imprint</footer>',
  );
  assertEquals(text.trim(), TEXT.trim());
});

Deno.test("the link of a heading to itself is not part of it, other links with signs are", async () => {
  const { text, title } = await page(
    '<h1>Files<span><a class="mark" href="#files">#</a></span></h1><h2>Paths <a href="#paths"> ¶ </a></h2>' +
      '<h2>C<a href="/sharp">#</a></h2><p>See <a href="#n1">#1</a> and <a href="#s">§</a>.</p>',
  );
  assertEquals(text.trim(), "# Files\n\n## Paths\n\n## C#\n\nSee #1 and §.");
  assertEquals(title, "Files");
});

Deno.test("a list of links is the text of a page without other text", async () => {
  assertStringIncludes((await page(`<body>${MENU}<p>Index</p>`)).text, "Some topic");
});

Deno.test("a page with only a nav element keeps it", async () => {
  assertStringIncludes((await page("<body><nav><a href=/>Home</a></nav>")).text, "Home");
});

Deno.test("text outside of main is kept unless it is a minor part", async () => {
  const minor = await page(`<body><div>Share this</div><main><p>${TEXT}</p></main>`);
  assertEquals(minor.text.trim(), TEXT.trim());
  const major = await page(`<body><main><p>Short.</p></main><p>${TEXT}</p>`);
  assertStringIncludes(major.text, "Short.");
  assertStringIncludes(major.text, "A paragraph");
});

Deno.test("text in a form, after the body and in the footer of an article is kept", async () => {
  const { text } = await page(
    `<html><body><form><p>${TEXT}</p><input value=secret><button>Send</button></form><article>x<footer>By Ann</footer></article></body>late</html>`,
  );
  assertStringIncludes(text, "A paragraph");
  assertStringIncludes(text, "By Ann");
  assertStringIncludes(text, "late");
  assert(!/secret|Send/.test(text));
});

Deno.test("the title lacks the name of the site, and meta elements are the metadata", async () => {
  const { title, metadata } = await page(
    `<html lang="de"><head><title>Tea guide | Example Shop</title><meta property="og:title" content="Tea guide">
     <meta name="author" content="Ann Lee"><meta name="description" content="About tea.">
     <meta property="article:published_time" content="2026-03-31T09:00:00Z"></head><body><h1>Tea</h1><p>${TEXT}`,
  );
  assertEquals(title, "Tea guide");
  assertEquals(metadata, {
    author: "Ann Lee",
    created: "2026-03-31T09:00:00Z",
    subject: "About tea.",
    language: "de",
  });
  assertEquals((await page("<title>Tea - Water</title><h1>Other</h1>x")).title, "Tea - Water");
});
