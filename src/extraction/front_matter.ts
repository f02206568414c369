import { isMetadataShallow, isTag } from "../contract/rules/mod.ts";
import { MAX_FRONT_MATTER_CHARS, MAX_METADATA_CHARS } from "./limits.ts";
import { normalizeUnicode } from "../text/mod.ts";

/** Maximum number of tags in front matter. */
const MAX_TAGS = 64;
/**
 * Maximum number of aliases in YAML. Threat: each one looks for its anchor, and an alias in the value that the next one
 * stands for takes seconds for 14 KB, inside a transaction of the store.
 */
const MAX_ALIASES = 100;
/** Maximum depth of arrays and inline tables in TOML; metadata may have 32 levels. */
const MAX_TOML_DEPTH = 40;

type Yaml = typeof import("./yaml.ts");
type Toml = Pick<typeof import("smol-toml"), "parse">;
/** Both libraries, once they are loaded. */
interface Parsers {
  readonly yaml: Yaml;
  readonly toml: Toml;
}
let parsers: Parsers | undefined;

/** First lines of front matter, with the line that ends it. */
const FENCES = [
  { language: "yaml", opening: /^---[ \t]*\n/, closing: /^(?:---|\.\.\.)[ \t]*$/m },
  { language: "toml", opening: /^\+\+\+[ \t]*\n/, closing: /^\+\+\+[ \t]*$/m },
] as const;

/** Parsed front matter, and the text after it. */
export interface FrontMatter {
  readonly metadata: Record<string, unknown>;
  readonly body: string;
}

/**
 * Reads front matter at the start of a text: a YAML mapping between two `---` lines, or TOML between two `+++` lines.
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
  return text.startsWith("---") || text.startsWith("+++");
}

/** Loads the parsers, which few texts need. Must be awaited before {@linkcode readFrontMatterSync}. */
export async function loadFrontMatter(): Promise<void> {
  if (parsers) return;
  const [yaml, toml] = await Promise.all([import("./yaml.ts"), import("smol-toml")]);
  parsers = { yaml, toml };
}

/**
 * Synchronous {@linkcode readFrontMatter}, for code inside a transaction.
 *
 * @throws {Error} If the text has front matter and {@linkcode loadFrontMatter} has not been awaited.
 */
export function readFrontMatterSync(text: string): FrontMatter | undefined {
  const block = frontMatterBlock(text);
  if (!block) return undefined;
  const { language, source, body } = block;
  const metadata = language === "yaml" ? parseMapping(source) : parseToml(source);
  return metadata && { metadata, body };
}

/** Front matter before it is parsed, and the text after it. */
export interface FrontMatterBlock {
  readonly language: typeof FENCES[number]["language"];
  readonly source: string;
  readonly body: string;
}

/** Returns the lines of front matter at the start of a text. */
export function frontMatterBlock(text: string): FrontMatterBlock | undefined {
  const fence = FENCES.find(({ opening }) => opening.test(text));
  if (!fence) return undefined;
  const start = text.indexOf("\n") + 1;
  const head = text.slice(start, start + MAX_FRONT_MATTER_CHARS);
  const end = fence.closing.exec(head);
  if (!end) return undefined;
  return {
    language: fence.language,
    source: head.slice(0, end.index),
    body: text.slice(start + end.index + end[0].length),
  };
}

function parseToml(source: string): Record<string, unknown> | undefined {
  const { parse } = loadedParsers().toml;
  try {
    // Times become text in ISO 8601 with their time zone, and numbers beyond JSON null.
    return toMetadata(parse(source, { maxDepth: MAX_TOML_DEPTH }));
  } catch {
    return undefined;
  }
}

function loadedParsers(): Parsers {
  if (!parsers) throw new Error("Cannot read front matter: loadFrontMatter must be awaited first");
  return parsers;
}

/**
 * Parses a YAML mapping whose values are JSON; undefined if it is not one.
 *
 * @throws {Error} If {@linkcode loadFrontMatter} has not been awaited.
 */
export function parseMapping(source: string): Record<string, unknown> | undefined {
  const { parseDocument, isScalar, visit } = loadedParsers().yaml;
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
    let aliases = 0;
    visit(document, {
      Alias: () => ++aliases > MAX_ALIASES ? visit.BREAK : undefined,
      Pair: (_, { key }) => {
        if (isScalar(key)) return;
        hasComplexKey = true;
        return visit.BREAK;
      },
    });
    if (hasComplexKey || aliases > MAX_ALIASES) return undefined;
    return toMetadata(document.toJS({ maxAliasCount: 20 }));
  } catch {
    // Too many aliases, nested too deeply, or not YAML.
    return undefined;
  }
}

/** Returns a mapping as JSON values; undefined for other values, and for one that is too long or nested too deeply. */
function toMetadata(mapping: unknown): Record<string, unknown> | undefined {
  const json = JSON.stringify(mapping) ?? "null";
  if (json.length > MAX_METADATA_CHARS) return undefined;
  const value: unknown = JSON.parse(json);
  if (!isMetadataShallow(value)) return undefined;
  const isMapping = typeof value === "object" && value !== null && !Array.isArray(value);
  return isMapping && Object.keys(value).length > 0 ? value as Record<string, unknown> : undefined;
}

/**
 * Returns the tags of front matter, also those of a `taxonomies` table (Zola): a list, or a string separated by commas
 * or, without commas, by white space.
 */
export function frontMatterTags({ tags: own, taxonomies }: Record<string, unknown>): string[] {
  const tags = own ?? (taxonomies as { tags?: unknown } | null | undefined)?.tags;
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
