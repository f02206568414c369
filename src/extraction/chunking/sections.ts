import { headingTitle } from "../title.ts";
import { type Block, scanBlocks } from "./blocks.ts";
import { weightOf } from "./tokens.ts";
import type { ChunkSource } from "./types.ts";

/** A heading, linked to the headings above it. */
export interface Heading {
  readonly title: string;
  readonly level: number;
  readonly parent: Heading | undefined;
}

/** A heading with its text, up to the next heading of any level. */
export interface Section {
  /** Undefined for the text before the first heading. */
  readonly heading: Heading | undefined;
  readonly start: number;
  readonly end: number;
  /** Weight (see `tokens.ts`) of the section, including the white space after it. */
  readonly weight: number;
  /** Whether there is any text under the heading. */
  readonly hasBody: boolean;
}

/** Scans a text for its sections, in order. Plain text is one section without a heading. */
export function* scanSections(source: Pick<ChunkSource, "text" | "markup">): Generator<Section> {
  const { text } = source;
  let heading: Heading | undefined;
  let start = 0;
  let hasBody = false;
  const createSection = (end: number): Section => {
    return { heading, start, end, weight: weightOf(text, { start, end }), hasBody };
  };

  for (const block of scanBlocks(source)) {
    if (block.kind !== "heading") {
      hasBody = true;
      continue;
    }
    if (heading || hasBody) yield createSection(block.start);
    heading = createHeading(block, text, heading);
    start = block.start;
    hasBody = false;
  }
  if (heading || hasBody) yield createSection(text.length);
}

function createHeading(block: Block, text: string, previous: Heading | undefined): Heading {
  let parent = previous;
  while (parent && parent.level >= block.level) parent = parent.parent;
  return { title: headingTitle(text.slice(block.titleStart, block.titleEnd)), level: block.level, parent };
}

/** Whether `heading` is `ancestor` or below it. Every heading is below `undefined`. */
export function isWithin(heading: Heading | undefined, ancestor: Heading | undefined): boolean {
  for (let at = heading; at; at = at.parent) if (at === ancestor) return true;
  return ancestor === undefined;
}

/** Returns the titles from the outermost heading to this one. Leaves out empty headings. */
export function headingPath(heading: Heading | undefined): string[] {
  const path: string[] = [];
  for (let at = heading; at; at = at.parent) if (at.title !== "") path.unshift(at.title);
  return path;
}

/**
 * Returns the innermost heading that all sections with a body share; if none has a body, that all sections
 * share.
 */
export function commonHeading(sections: readonly Section[]): Heading | undefined {
  const withBody = sections.filter((section) => section.hasBody);
  const considered = withBody.length > 0 ? withBody : sections;
  let common = considered[0]?.heading;
  for (const { heading } of considered) {
    while (!isWithin(heading, common)) common = common?.parent;
  }
  return common;
}
