import type { SearchPage } from "../presentation/mod.ts";
import { joinText, type TextParts } from "../text/mod.ts";
import type { ContentBlock } from "./content_block.ts";
import { linkTo } from "./resource_links.ts";

/** The field of an output that the results of a page replace. */
const NO_RESULTS = '"results":[]';
const RESULTS = '"results":';

/** An output whose results are encoded already. */
export class EncodedOutput<T> {
  /** JSON of the output. */
  readonly json: TextParts;
  /** The JSON as a JSON string. */
  readonly quoted: TextParts;
  /** Length of the JSON in UTF-16 code units. */
  readonly chars: number;
  /** Links to the first documents. */
  readonly content: readonly ContentBlock[];

  /** @param output The output with an empty field `results`, whose place those of the page take. */
  constructor(output: T & { readonly results: readonly [] | readonly never[] }, page: SearchPage) {
    const json = JSON.stringify(output);
    // A quote within a text is escaped, so that this is the field.
    const start = json.indexOf(NO_RESULTS) + RESULTS.length;
    const before = json.slice(0, start);
    const after = json.slice(start + 2);
    this.json = [before, page.json, after];
    this.quoted = [JSON.stringify(before).slice(0, -1), page.quoted, JSON.stringify(after).slice(1)];
    this.chars = before.length + page.chars + after.length;
    this.content = page.documents.map(linkTo);
  }

  /** The output, parsed. */
  get value(): T {
    return JSON.parse(joinText(this.json));
  }
}
