import { assert, assertEquals } from "@std/assert";
import { extract, ExtractionError } from "../../../src/extraction/mod.ts";
import { chunkText } from "../../../src/extraction/chunking/chunk.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

/** Names under which each input is read. */
const NAMES = ["a.bib", "a.ris", "a.ics", "a.vcf", "a.man", "a"];
/** Maximum length of a text per character of its file: labels and headings of short values. */
const MAX_GROWTH = 40;

/** Bibliographies, calendars, contacts and manual pages become a text of bounded size that is chunked in order, or an error. */
export const textFormats: FuzzTarget = {
  name: "text_formats",
  iterations: 150,
  seeds: utf8([
    '@string{a = "x"}\n@book{key, author = {A. B and C{\\\'e}, D}, title = "T {\\"U}" # a, year = 1999}\n@comment{x}\n',
    "TY  - JOUR\nAU  - Lee, Ann\nTI  - Title\n more\nPY  - 2020\nER  - \n",
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:A\\, b\r\nDTSTART;TZID="A/B":20260303T100000\r\n' +
    "RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=3\r\nATTENDEE;CN=A:mailto:a@b\r\nDURATION:PT1H\r\nBEGIN:VALARM\r\nEND:VALARM\r\n" +
    "DESCRIPTION:x\r\n y\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    ".TH LS 1 2026-01-01\n.de XX\n..\n.ie n \\{\\\n.ds a \\(bu\n.\\}\n.el .ds a x\n.SH NAME\nls \\- list\n.TP 2\n.B \\-a\n" +
    "\\fBx\\fR \\*a\n.IP \\(bu\ny\n.nf\ncode\n.fi\n.TS\ntab(;);\nl l.\na;T{\nb\nT}\n.TE\n",
    ".Dd May 1, 2026\n.Dt LS 1\n.Sh NAME\n.Nm ls\n.Nd list\n.Bl -tag\n.It Fl a Op Ar b\nx\n.El\n.Bl -column\n.It a Ta b\n.El\n",
    "BEGIN:VCARD\nVERSION:2.1\nN;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:M=C3=BC;J=\n=C3=BC\nTEL;HOME:1\n" +
    "item1.ADR:;;a;b\nitem1.X-ABLabel:_$!<W>!$_\nEND:VCARD\n",
  ]),
  dictionary: utf8([
    "@comment{",
    "@string{a = a # a}",
    "\n@book{",
    " and ",
    "{\\",
    "\\'{",
    "ER  - ",
    "BEGIN:VEVENT\n",
    "\n.TH a\n",
    "\\{",
    "\\}",
    "\\[",
    "\\*",
    "\n.if n ",
    "\n.RS",
    "T{\n",
    "END:",
    "\r\n ",
    ";TYPE=",
    "=C3",
    "=\n",
  ]),
  open: () => async (input) => {
    for (const filename of NAMES) {
      try {
        const found = await extract({ bytes: input.slice(), filename, contentType: undefined });
        assert(found && found.text.trim() !== "", "a document has text");
        assert(found.text.length <= 1000 + MAX_GROWTH * input.length, `${found.text.length} characters`);
        const chunks = chunkText(found, { maxTokens: 320, overlapTokens: 48 });
        assert(chunks.length > 0, "a document has chunks");
        for (const { text, repeatedChars = 0, charStart, charEnd } of chunks) {
          assertEquals(charEnd - charStart, text.length - repeatedChars);
        }
      } catch (error) {
        if (!(error instanceof ExtractionError)) throw error;
      }
    }
  },
};
