import { headingTitle } from "../title.ts";
import type { OutlineEntry } from "../types.ts";
import { skipSpace } from "../whitespace.ts";
import { scanBlocks } from "./blocks.ts";
import { characterStart } from "./split.ts";
import { weightOf } from "./tokens.ts";
import type { ChunkSource } from "./types.ts";

/** Maximum level of a heading. */
const MAX_LEVEL = 6;

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

/**
 * Scans a text for its sections, in order: by its outline, or else by its headings. Plain text without an outline is
 * one section without a heading.
 */
export function scanSections(source: ChunkSource): Generator<Section> {
  return source.outline?.length ? scanOutline(source, source.outline) : scanHeadings(source);
}

function* scanHeadings(source: ChunkSource): Generator<Section> {
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
    heading = createHeading(heading, block.level, text.slice(block.titleStart, block.titleEnd));
    start = block.start;
    hasBody = false;
  }
  if (heading || hasBody) yield createSection(text.length);
}

/** Offsets that do not ascend, or exceed the text, are moved to the nearest possible one. */
function* scanOutline({ text }: ChunkSource, outline: readonly OutlineEntry[]): Generator<Section> {
  let heading: Heading | undefined;
  let start = 0;
  for (let next = 0; next <= outline.length; next++) {
    const entry = outline[next];
    const end = Math.max(start, Math.min(characterStart(text, entry?.start ?? text.length), text.length));
    if (skipSpace(text, start, end) < end) {
      yield { heading, start, end, weight: weightOf(text, { start, end }), hasBody: true };
      start = end;
    }
    if (entry) heading = createHeading(heading, Math.max(1, Math.min(entry.level, MAX_LEVEL)), entry.title);
  }
}

function createHeading(previous: Heading | undefined, level: number, title: string): Heading {
  let parent = previous;
  while (parent && parent.level >= level) parent = parent.parent;
  return { title: headingTitle(title), level, parent };
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
