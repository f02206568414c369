/** Maximum number of wildcards of a pattern. Each multiplies the time of a match by the length of the path. */
const MAX_WILDCARDS = 4;
/** Maximum number of wildcards of a segment, and of segments `**`. */
const MAX_EQUAL_WILDCARDS = 3;

/** Runs of asterisks that are not escaped. */
const WILDCARD = /(?<!\\)\*+/g;

/**
 * Returns a pattern of `.gitignore` with few wildcards, which matches at least the same paths: the middle of a pattern
 * with more is left out. Returns undefined for an inverted one, which must not match more.
 *
 * Threat: patterns become regular expressions with backtracking. Those of a cloned repository could keep the engine's
 * thread busy for years.
 */
export function simplePattern(pattern: string): string | undefined {
  if (pattern.startsWith("#")) return pattern;
  const segments = pattern.split("/");
  const counts = segments.map(countWildcards);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const folders = segments.filter((segment) => segment === "**").length;
  if (total <= MAX_WILDCARDS && Math.max(folders, ...counts) <= MAX_EQUAL_WILDCARDS) return pattern;
  if (pattern.startsWith("!")) return undefined;
  return withoutMiddle(segments.map(simpleSegment)).join("/");
}

function countWildcards(segment: string): number {
  return segment.match(WILDCARD)?.length ?? 0;
}

/** Leaves out what is between the first and the last wildcard. A class counts as one, since it may contain some. */
function simpleSegment(segment: string): string {
  if (countWildcards(segment) <= 1) return segment;
  const start = segment.search(/(?<!\\)[*[]/);
  const end = Math.max(segment.lastIndexOf("*"), segment.lastIndexOf("]")) + 1;
  return `${segment.slice(0, start)}*${segment.slice(end)}`;
}

/** Leaves out what is between the second and the last `**`. */
function withoutMiddle(segments: readonly string[]): string[] {
  const folders = [...segments.keys()].filter((index) => segments[index] === "**");
  const [, second] = folders;
  const last = folders.at(-1);
  if (second === undefined || last === undefined || second === last) return [...segments];
  return [...segments.slice(0, second), ...segments.slice(last)];
}
