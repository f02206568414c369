import { assert, assertEquals } from "@std/assert";
import { extract, ExtractionError } from "../../../src/extraction/mod.ts";
import { chunkText } from "../../../src/extraction/chunking/chunk.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

/** Names under which each input is read. */
const NAMES = ["a.bib", "a.ris", "a"];
/** Maximum length of a text per character of its file: labels and headings of short values. */
const MAX_GROWTH = 40;

/** Bibliographies become a text of bounded size that is chunked in order, or an error. */
export const textFormats: FuzzTarget = {
  name: "text_formats",
  iterations: 150,
  seeds: utf8([
    '@string{a = "x"}\n@book{key, author = {A. B and C{\\\'e}, D}, title = "T {\\"U}" # a, year = 1999}\n@comment{x}\n',
    "TY  - JOUR\nAU  - Lee, Ann\nTI  - Title\n more\nPY  - 2020\nER  - \n",
  ]),
  dictionary: utf8(["@comment{", "@string{a = a # a}", "\n@book{", " and ", "{\\", "\\'{", "ER  - "]),
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
