import { assert, assertEquals } from "@std/assert";
import type { HtmlParent } from "../../../src/extraction/html/node.ts";
import { measureTree, parseHtml } from "../../../src/extraction/html/tree.ts";

/** Writes a tree as `name(child child)`, with quoted text. */
function outline(parent: HtmlParent): string {
  return parent.childNodes.map((node) => {
    if (node.nodeName.startsWith("#")) return JSON.stringify(node.textContent);
    const children = outline(node as HtmlParent);
    return node.nodeName.toLowerCase() + (children && `(${children})`);
  }).join(" ");
}

Deno.test("parseHtml merges the text around entities and closes elements with optional end tags", () => {
  assertEquals(outline(parseHtml("<ul><li>a &amp; b<li>c</ul>").body), `ul(li("a & b") li("c"))`);
});

Deno.test("parseHtml finds the body with and without the tags of head and body", () => {
  for (
    const html of [
      "a<p>b",
      "<title>t</title>a<p>b",
      "<html><body>a<p>b",
      "<!doctype html><head></head><body>a<p>b",
    ]
  ) {
    assertEquals(parseHtml(html).body.textContent.replace(/^t/, ""), "ab", html);
  }
});

Deno.test("a copy of a page is equal and independent", () => {
  const page = parseHtml(
    `<html><head></head><body class=" a  b a"><p id=x>a<b>b</b></p><!-- c --><ul><li>d</ul>e`,
  );
  const copy = page.cloneNode();
  assertEquals(outline(copy), outline(page));
  assertEquals(copy.body.className, "a b");
  copy.getElementsByTagName("p")[0]?.remove();
  assertEquals(page.body.textContent, "abde");
  assertEquals(copy.body.textContent, "de");
});

Deno.test("nodes are inserted, replaced and removed in order", () => {
  const { body } = parseHtml("<i>a</i><b><u>b</u></b>c");
  const [i, b] = body.children;
  body.insertBefore(b!, i!);
  assertEquals(outline(body), `b(u("b")) i("a") "c"`);
  // The replacement is inside the replaced element.
  body.replaceChild(b!.firstChild!, b!);
  assertEquals(outline(body), `u("b") i("a") "c"`);
  body.removeChild(i!);
  assertEquals(outline(body), `u("b") "c"`);
  assert(body.lastElementChild === body.firstElementChild);
  assertEquals([i!.parentNode, i!.nextSibling, i!.previousSibling], [null, null, null]);
});

Deno.test("elements are found by a list of names, except in templates", () => {
  const { body } = parseHtml("<p>a</p><template><p>b</p></template><div><p>c</p><b>d</b></div>");
  assertEquals(body.querySelectorAll("B,P").map((each) => each.textContent), ["a", "c", "d"]);
});

Deno.test("measureTree counts elements, and stops below the maximum depth", () => {
  const { body } = parseHtml("<b><b><b>a</b></b></b>");
  assertEquals(measureTree(body, 100), { elements: 4, depth: 4 });
  assertEquals(measureTree(body, 1).depth, 2);
});
