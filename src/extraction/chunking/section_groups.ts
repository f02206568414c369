import { isWithin, scanSections, type Section } from "./sections.ts";
import { weightOf } from "./tokens.ts";
import type { ChunkSource } from "./types.ts";

/** Maximum number of messages of a mailbox that share no chunk with others: each costs a chunk and a vector. */
const MAX_OWN_MESSAGES = 10_000;

/** Adjacent sections that share a chunk, or one long section with the empty headings before it. */
export interface SectionGroup {
  readonly sections: readonly Section[];
  /** Weight (see `tokens.ts`) of all sections. */
  readonly weight: number;
}

interface OpenGroup {
  readonly sections: Section[];
  weight: number;
  hasBody: boolean;
}

/**
 * Groups the sections of a text, in order. A text that fits into one chunk is one group. Otherwise short
 * sections join the next ones under the same parent, and a heading without a body joins the section after it.
 * A class of source code with all of its methods counts as one section if it fits into a chunk. Each message of a
 * mailbox stays a group of its own, unless it has more than {@linkcode MAX_OWN_MESSAGES}.
 *
 * @param maxWeight Maximum weight of a chunk.
 */
export function* groupSections(source: ChunkSource, maxWeight: number): Generator<SectionGroup> {
  const { text } = source;
  // A code unit weighs at least 1, so a long text need not be weighed.
  const fitsOneChunk = text.length <= maxWeight &&
    weightOf(text, { start: 0, end: text.length }) <= maxWeight;
  // Search results name the message by the heading of its chunk.
  const isMailbox = source.docType === "email" && source.outline !== undefined &&
    source.outline.length <= MAX_OWN_MESSAGES;
  let group: OpenGroup | undefined;
  for (const next of source.docType === "code" ? wholeSubtrees(source, maxWeight) : singleSections(source)) {
    const section = next.sections[0]!;
    const joins = !isMailbox &&
      (fitsOneChunk || (group && shouldJoin(group, section, { weight: next.weight, maxWeight })));
    if (group && !joins) {
      const emptyHeadings = takeEmptyHeadings(group, section);
      if (group.sections.length > 0) yield group;
      group = emptyHeadings;
    }
    group ??= { sections: [], weight: 0, hasBody: false };
    group.sections.push(...next.sections);
    group.weight += next.weight;
    group.hasBody ||= section.hasBody;
  }
  if (group) yield group;
}

function* singleSections(source: ChunkSource): Generator<SectionGroup> {
  for (const section of scanSections(source)) yield { sections: [section], weight: section.weight };
}

/** Joins each section with all sections below it if they fit into a chunk. */
function* wholeSubtrees(source: ChunkSource, maxWeight: number): Generator<SectionGroup> {
  const sections = [...scanSections(source)];
  for (let at = 0; at < sections.length;) {
    const root = sections[at]!;
    let weight = root.weight;
    let end = at + 1;
    // Every section weighs at least 1: at most `maxWeight` steps for each ancestor that does not fit.
    for (; root.heading && weight <= maxWeight && isWithin(sections[end]?.heading, root.heading); end++) {
      weight += sections[end]!.weight;
    }
    if (weight > maxWeight) [weight, end] = [root.weight, at + 1];
    yield { sections: sections.slice(at, end), weight };
    at = end;
  }
}

/** Whether a section, of `weight` with those below it, belongs to the group before it. */
function shouldJoin(
  group: OpenGroup,
  section: Section,
  { weight, maxWeight }: { readonly weight: number; readonly maxWeight: number },
): boolean {
  if (!group.hasBody && isWithin(section.heading, group.sections.at(-1)!.heading)) return true;
  return group.weight + weight <= maxWeight &&
    isWithin(section.heading, group.sections[0]!.heading?.parent) &&
    // Larger sections stay separate: search works best with one subject per chunk.
    (group.weight < maxWeight / 4 || weight < maxWeight / 10);
}

/** Moves empty headings above `next` from the end of a group to a new one. */
function takeEmptyHeadings(group: OpenGroup, next: Section): OpenGroup {
  const taken: OpenGroup = { sections: [], weight: 0, hasBody: false };
  for (let last = group.sections.at(-1); last && !last.hasBody; last = group.sections.at(-1)) {
    if (!isWithin(next.heading, last.heading)) break;
    group.sections.pop();
    group.weight -= last.weight;
    taken.sections.unshift(last);
    taken.weight += last.weight;
  }
  return taken;
}
