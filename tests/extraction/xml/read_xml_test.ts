import { assertEquals, assertThrows } from "@std/assert";
import type { XmlElement } from "../../../src/extraction/xml/element.ts";
import { readXml, XmlError } from "../../../src/extraction/xml/read_xml.ts";

const prefixOf = (namespace: string) => namespace === "urn:words" ? "w" : undefined;
const read = (xml: string) => readXml(new TextEncoder().encode(xml), { prefixOf });

Deno.test("readXml names elements and attributes by their namespace, whatever the prefix", () => {
  const root = read(
    '<a:r xmlns:a="urn:words"><a:t a:v="1" v="2"/><t xmlns="urn:words"/><x:t xmlns:x="urn:other"/></a:r>',
  );
  assertEquals(root.elements.map(({ name }) => name), ["w:t", "w:t", "x:t"]);
  assertEquals([root.child("w:t")?.get("w:v"), root.child("w:t")?.get("v")], ["1", "2"]);
});

Deno.test("readXml expands the entities of XML, and no others", () => {
  assertEquals(read('<!DOCTYPE r [<!ENTITY e "x">]><r>a &amp; &#x62;&e;</r>').text, "a & b&e;");
});

Deno.test("readXml passes blocks with their ancestors, and keeps no tree of them", () => {
  const blocks: [string, string[]][] = [];
  const root = readXml(new TextEncoder().encode("<r><s><p>one<p>inner</p></p></s><p>two</p></r>"), {
    prefixOf,
    blocks: new Set(["p"]),
    onBlock: (block: XmlElement, ancestors: readonly XmlElement[]) =>
      blocks.push([block.text, ancestors.map(({ name }) => name)]),
  });
  assertEquals(blocks, [["oneinner", ["r", "s"]], ["two", ["r"]]]);
  assertEquals(root.descendants("p"), []);
});

Deno.test("readXml decodes UTF-16 and declared encodings", () => {
  const wide = Uint8Array.from([
    0xff,
    0xfe,
    ...Array.from("<r>é</r>").flatMap((char) => [char.charCodeAt(0), 0]),
  ]);
  assertEquals(readXml(wide, { prefixOf }).text, "é");
  const cyrillic = Uint8Array.from([
    ...new TextEncoder().encode('<?xml version="1.0" encoding="windows-1251"?><r>'),
    0xcf,
    ...new TextEncoder().encode("</r>"),
  ]);
  assertEquals(readXml(cyrillic, { prefixOf }).text, "П");
});

Deno.test("readXml rejects truncated, empty and deeply nested XML", () => {
  for (const xml of ["<r><a>", "", "no XML", "<a>".repeat(500) + "</a>".repeat(500)]) {
    assertThrows(() => read(xml), XmlError);
  }
});
