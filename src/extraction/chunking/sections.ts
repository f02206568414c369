import { type Block, scanBlocks } from "./blocks.ts";
import { headingTitle } from "../title.ts";
import { weigh } from "./tokens.ts";
import type { ChunkSource } from "../types.ts";

/** A heading, and through `parent` the ones above it. */
export interface Heading {
  readonly title: string;
  readonly level: number;
  readonly parent: Heading | undefined;
}

/** A heading line with what stands under it, up to the next heading of any level. */
export interface Section {
  /** Undefined for what stands before the first heading. */
  readonly heading: Heading | undefined;
  readonly start: number;
  readonly end: number;
  /** Weight (see tokens.ts) of the section and of the white space up to the next one. */
  readonly weight: number;
  /** Whether anything stands under the heading. */
  readonly hasBody: boolean;
}

/** The sections of a text, in order; one without a heading for plain text. */
export function* scanSections({ text, markup }: Pick<ChunkSource, "text" | "markup">): Generator<Section> {
  let heading: Heading | undefined;
  let start = 0;
  let hasBody = false;
  const close = (end: number): Section => ({ heading, start, end, weight: weigh(text, start, end), hasBody });

  for (const block of scanBlocks(text, 0, text.length, markup)) {
    if (block.kind !== "heading") {
      hasBody = true;
      continue;
    }
    if (heading || hasBody) yield close(block.start);
    heading = under(heading, block, text);
    start = block.start;
    hasBody = false;
  }
  if (heading || hasBody) yield close(text.length);
}

function under(before: Heading | undefined, block: Block, text: string): Heading {
  let parent = before;
  while (parent && parent.level >= block.level) parent = parent.parent;
  return { title: headingTitle(text.slice(block.titleStart, block.titleEnd)), level: block.level, parent };
}

/** Whether `heading` is `ancestor` or stands under it. Everything stands under no heading (undefined). */
export function isWithin(heading: Heading | undefined, ancestor: Heading | undefined): boolean {
  for (let at = heading; at; at = at.parent) if (at === ancestor) return true;
  return ancestor === undefined;
}

/** Titles from the outermost heading to this one; headings without words are left out. */
export function headingPath(heading: Heading | undefined): string[] {
  const path: string[] = [];
  for (let at = heading; at; at = at.parent) if (at.title !== "") path.unshift(at.title);
  return path;
}

/** The innermost heading that all sections stand under, themselves included. Headings without a body have no say. */
export function commonHeading(sections: readonly Section[]): Heading | undefined {
  const voices = sections.some((section) => section.hasBody)
    ? sections.filter((section) => section.hasBody)
    : sections;
  let common = voices[0]?.heading;
  for (const { heading } of voices) {
    while (!isWithin(heading, common)) common = common?.parent;
  }
  return common;
}
