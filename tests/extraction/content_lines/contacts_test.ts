import { assert, assertEquals } from "@std/assert";
import { extract } from "../../../src/extraction/mod.ts";
import type { ExtractedText } from "../../../src/extraction/types.ts";

async function read(lines: readonly string[], filename = "a.vcf"): Promise<ExtractedText> {
  const bytes = new TextEncoder().encode(lines.join("\r\n"));
  const found = await extract({ bytes, filename, contentType: undefined });
  assert(found);
  return found;
}

Deno.test("a vCard is a section with its name, phones, mails, addresses and notes, without photos", async () => {
  const found = await read([
    "BEGIN:VCARD",
    "VERSION:3.0",
    "N:Lee;Ann;;Dr.;",
    "FN:Dr. Ann Lee",
    "ORG:Acme\\, Inc.;Research",
    "TITLE:Head",
    "TEL;TYPE=WORK,VOICE:+1 555 1",
    'TEL;VALUE=uri;TYPE="cell,pref":tel:+1-555-2',
    "item1.EMAIL;type=INTERNET:ann@example.org",
    "item1.X-ABLabel:_$!<Other>!$_",
    "ADR;TYPE=HOME:;;1 Main St\\, 2nd floor;Springfield;IL;12345;USA",
    "NOTE:Line one\\nLine",
    "  two",
    "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ",
    " SkZJRg==",
    "BDAY:19800102",
    "X-SECRET:hidden",
    "END:VCARD",
  ]);
  assertEquals([found.docType, found.title, found.markup, found.metadata], [
    "contacts",
    "Dr. Ann Lee",
    "markdown",
    { entries: 1 },
  ]);
  assertEquals(
    found.text,
    "## Dr. Ann Lee\n\nOrganization: Acme, Inc., Research\nTitle: Head\nPhone (work): +1 555 1\nPhone (cell): +1-555-2\n" +
      "E-mail (other): ann@example.org\nAddress (home): 1 Main St, 2nd floor, Springfield, IL, 12345, USA\n" +
      "Birthday: 1980-01-02\n\nNote: Line one\nLine two\n",
  );
});

Deno.test("vCard 2.1: quoted-printable in its charset, types without a name, and soft line ends", async () => {
  const { text } = await read([
    "BEGIN:VCARD",
    "VERSION:2.1",
    "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=BCrgen",
    "TEL;HOME;CELL:123",
    "NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Gr=FC=DFe=0D=0Aaus=",
    " M=FCnchen 1=3D1 =",
    "END",
    "ORG:Acme",
    " Works",
    "END:VCARD",
    "BEGIN:VCARD",
    "NOTE;QUOTED-PRINTABLE:50=A4=",
  ], "cards");
  assertEquals(
    text,
    "## Jürgen Müller\n\nOrganization: Acme Works\nPhone (home, cell): 123\n\nNote: Grüße\naus München 1=1 END\n\n" +
      "## Contact\n\nNote: 50¤\n",
  );
});

Deno.test("a .vcf file without cards is plain text", async () => {
  const { docType, text, warnings } = await read(["##fileformat=VCFv4.2", "#CHROM\tPOS", " 20\t14370", ""]);
  assertEquals([docType, text, warnings?.length], [
    "text",
    "##fileformat=VCFv4.2\n#CHROM\tPOS\n 20\t14370\n",
    1,
  ]);
});

Deno.test("hostile cards of megabytes are read in one pass", async () => {
  for (
    const mark of [
      "BEGIN:VCARD\n",
      "A;",
      "=",
      "=\n",
      "=\n ",
      "=C3",
      ";",
      ",",
      "\\",
      "\n ",
      "a.",
      "TEL;A;B:1\n",
      "NOTE;QUOTED-PRINTABLE:=\n",
    ]
  ) {
    for (const version of ["2.1", "4.0"]) {
      const many = mark.repeat(100_000 / mark.length);
      const { text } = await read(
        [
          "BEGIN:VCARD",
          `VERSION:${version}`,
          "FN:First",
          many,
          `ADR:${many}`,
          `NOTE;QUOTED-PRINTABLE:${many}`,
          `TEL;TYPE=${many}`,
        ],
      );
      assert(text.startsWith("## First"), `${version} ${mark}`);
    }
  }
});
