import { isMetadataShallow, isTag } from "../contract/rules/mod.ts";
import { MAX_FRONT_MATTER_CHARS, MAX_METADATA_CHARS } from "./limits.ts";
import { normalizeUnicode } from "../text/mod.ts";

/** Maximum number of tags in front matter. */
const MAX_TAGS = 64;

type Yaml = typeof import("./yaml.ts");
let yaml: Yaml | undefined;

/** Parsed front matter, and the text after it. */
export interface FrontMatter {
  readonly metadata: Record<string, unknown>;
  readonly body: string;
}

/**
 * Reads YAML front matter: a mapping between two `---` lines at the start of a text.
 *
 * @param text Text with `\n` line ends.
 * @returns `undefined` without front matter. A block that is not a valid mapping is text, such as a paragraph
 * between two thematic breaks.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter | undefined> {
  if (mayHaveFrontMatter(text)) await loadFrontMatter();
  return readFrontMatterSync(text);
}

/** Whether a text starts like front matter. */
export function mayHaveFrontMatter(text: string): boolean {
  return text.startsWith("---");
}

/** Loads the YAML parser, which few texts need. Must be awaited before {@linkcode readFrontMatterSync}. */
export async function loadFrontMatter(): Promise<void> {
  yaml ??= await import("./yaml.ts");
}

/**
 * Synchronous {@linkcode readFrontMatter}, for code inside a transaction.
 *
 * @throws {Error} If the text has front matter and {@linkcode loadFrontMatter} has not been awaited.
 */
export function readFrontMatterSync(text: string): FrontMatter | undefined {
  const block = frontMatterBlock(text);
  const metadata = block && parseMapping(block.source);
  return metadata && { metadata, body: block.body };
}

/** The lines between two `---` lines at the start of a text, and the text after them. */
export function frontMatterBlock(text: string): { source: string; body: string } | undefined {
  const opening = /^---[ \t]*\n/.exec(text)?.[0];
  if (opening === undefined) return undefined;
  const closing = /^(?:---|\.\.\.)[ \t]*$/m;
  const head = text.slice(opening.length, opening.length + MAX_FRONT_MATTER_CHARS);
  const end = closing.exec(head);
  if (!end) return undefined;
  return {
    source: head.slice(0, end.index),
    body: text.slice(opening.length + end.index + end[0].length),
  };
}

/**
 * Parses a YAML mapping whose values are JSON; undefined if it is not one.
 *
 * @throws {Error} If {@linkcode loadFrontMatter} has not been awaited.
 */
export function parseMapping(source: string): Record<string, unknown> | undefined {
  if (!yaml) throw new Error("Cannot read front matter: loadFrontMatter must be awaited first");
  const { parseDocument, isScalar, visit } = yaml;
  try {
    // YAML 1.2 core schema without custom tags, so that all values are JSON. Few aliases: they can expand a
    // line to gigabytes ("billion laughs").
    const document = parseDocument(source, {
      schema: "core",
      customTags: [],
      resolveKnownTags: false,
      logLevel: "silent",
      // Otherwise the position of each error is looked up in the text, which takes seconds for 10,000 errors.
      prettyErrors: false,
    });
    if (document.errors.length > 0) return undefined;
    // A mapping or a list as a key is turned into text, again at each level: 800 bytes of "? ? ? …" take minutes.
    let hasComplexKey = false;
    visit(document, {
      Pair: (_, { key }) => {
        if (isScalar(key)) return;
        hasComplexKey = true;
        return visit.BREAK;
      },
    });
    if (hasComplexKey) return undefined;
    const json = JSON.stringify(document.toJS({ maxAliasCount: 20 })) ?? "null";
    if (json.length > MAX_METADATA_CHARS) return undefined;
    const value: unknown = JSON.parse(json);
    if (!isMetadataShallow(value)) return undefined;
    const isMapping = typeof value === "object" && value !== null && !Array.isArray(value);
    return isMapping && Object.keys(value).length > 0 ? value as Record<string, unknown> : undefined;
  } catch {
    // Too many aliases, nested too deeply, or not YAML.
    return undefined;
  }
}

/**
 * Returns the tags of front matter: a list, or a string separated by commas or, without commas, by white
 * space.
 */
export function frontMatterTags({ tags }: Record<string, unknown>): string[] {
  const listed: unknown[] = Array.isArray(tags)
    ? tags
    : typeof tags === "string"
    ? tags.split(tags.includes(",") ? "," : /\s+/)
    : [tags];
  const named = new Set<string>();
  for (const item of listed) {
    if (typeof item !== "string" && typeof item !== "number") continue;
    const tag = normalizeUnicode(String(item).trim().replace(/^#/, ""), "NFC");
    if (isTag(tag) && named.size < MAX_TAGS) named.add(tag);
  }
  return [...named];
}
