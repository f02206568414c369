import { assertEquals } from "@std/assert";
import { charsetOf, declaredEncoding, encodingLabel } from "../../../src/extraction/encoding/declared.ts";

const declared = (text: string) => declaredEncoding(new TextEncoder().encode(text));

Deno.test("declarations in HTML, XML, LaTeX and comments for editors are found", () => {
  assertEquals(declared('<html><meta charset="KOI8-R">'), "koi8-r");
  assertEquals(
    declared(
      `<!-- ${
        "x".repeat(48_000)
      } --><meta http-equiv=Content-Type content="text/html; charset=windows-1250">`,
    ),
    "windows-1250",
  );
  assertEquals(declared('<?xml version="1.0" encoding="ISO-8859-2"?><a/>'), "iso-8859-2");
  assertEquals(declared("\\documentclass{article}\n\\usepackage[latin1]{inputenc}"), "latin1");
  assertEquals(declared("\\usepackage[ansinew]{inputenc}"), "windows-1252");
  assertEquals(declared("#!/usr/bin/python\n# -*- coding: cp1251 -*-\n"), "cp1251");
  assertEquals(declared("# vim: set fileencoding=latin-1 :\n"), "latin-1");
  assertEquals(declared("one\ntwo\n# coding: cp1251\n"), undefined);
});

Deno.test("names of encodings are labels of a decoder", () => {
  assertEquals(
    ["latin1", "IBM850", "cp437", "cp037", "IBM037", "utf8", "cp1250", "x-nonsense"].map(encodingLabel),
    ["windows-1252", "cp850", "cp437", "cp037", "cp037", "utf-8", "windows-1250", undefined],
  );
  assertEquals(charsetOf('text/html; Charset="UTF-8"'), "utf-8");
});
