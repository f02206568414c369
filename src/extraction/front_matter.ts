import { Tag } from "../contract/mod.ts";
import { MAX_FRONT_MATTER_CHARS } from "./limits.ts";
import { normalizeUnicode } from "../text/mod.ts";

/** Most tags that a document may name itself. */
const MAX_TAGS = 64;

type Yaml = typeof import("yaml");
let yaml: Yaml | undefined;

/** The front matter of a Markdown file, and the text after it. */
export interface FrontMatter {
  readonly metadata: Record<string, unknown>;
  readonly body: string;
}

/**
 * Reads YAML front matter: a mapping between two `---` lines at the very start.
 *
 * @param text Text with `\n` line ends.
 * @returns Undefined where there is none. What is no valid mapping is none: it stays in the text, since a rule of dashes at the
 * top of a page is nothing wrong.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter | undefined> {
  if (mayHaveFrontMatter(text)) await loadFrontMatter();
  return readFrontMatterSync(text);
}

/** Whether a text begins as one with front matter does. */
export function mayHaveFrontMatter(text: string): boolean {
  return text.startsWith("---");
}

/** Loads the parser of YAML, which few texts need; to be awaited before {@linkcode readFrontMatterSync}. */
export async function loadFrontMatter(): Promise<void> {
  yaml ??= await import("yaml");
}

/**
 * What {@linkcode readFrontMatter} does, for code inside a transaction, which cannot wait.
 *
 * @throws {Error} When there is front matter and {@linkcode loadFrontMatter} has not been awaited.
 */
export function readFrontMatterSync(text: string): FrontMatter | undefined {
  const opening = /^---[ \t]*\n/.exec(text)?.[0];
  if (opening === undefined) return undefined;
  const closing = /^(?:---|\.\.\.)[ \t]*$/m;
  const head = text.slice(opening.length, opening.length + MAX_FRONT_MATTER_CHARS);
  const end = closing.exec(head);
  if (!end) return undefined;
  if (!yaml) throw new Error("loadFrontMatter must be awaited before front matter is read");
  const metadata = parseMapping(yaml, head.slice(0, end.index));
  if (!metadata) return undefined;
  return { metadata, body: text.slice(opening.length + end.index + end[0].length) };
}

function parseMapping({ parseDocument }: Yaml, source: string): Record<string, unknown> | undefined {
  try {
    // YAML 1.2's core schema alone: no tags that build other things than JSON has, and few aliases, which can
    // make gigabytes of a line ("billion laughs").
    const document = parseDocument(source, {
      schema: "core",
      customTags: [],
      resolveKnownTags: false,
      logLevel: "silent",
    });
    if (document.errors.length > 0) return undefined;
    const value: unknown = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 20 })) ?? "null");
    const isMapping = typeof value === "object" && value !== null && !Array.isArray(value);
    return isMapping && Object.keys(value).length > 0 ? value as Record<string, unknown> : undefined;
  } catch {
    // Too many aliases, too deep, or not YAML at all.
    return undefined;
  }
}

/** The tags that front matter names: a list, or a string of them with commas or, without commas, spaces between. */
export function frontMatterTags({ tags }: Record<string, unknown>): string[] {
  const listed: unknown[] = Array.isArray(tags)
    ? tags
    : typeof tags === "string"
    ? tags.split(tags.includes(",") ? "," : /\s+/)
    : [tags];
  const named = new Set<string>();
  for (const one of listed) {
    if (typeof one !== "string" && typeof one !== "number") continue;
    const tag = Tag.safeParse(normalizeUnicode(String(one).trim().replace(/^#/, ""), "NFC"));
    if (tag.success && named.size < MAX_TAGS) named.add(tag.data);
  }
  return [...named];
}
