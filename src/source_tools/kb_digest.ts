import * as z from "zod";
import { oneLine } from "../text/mod.ts";
import { defineTool } from "../tools/mod.ts";
import { type Digest, digestOf } from "../vault/mod.ts";
import { MaxTokens, READ_ONLY, SourceArgument } from "./arguments.ts";
import { findSource } from "./find_source.ts";
import { fitLists } from "./fit.ts";
import { readVault } from "./read_vault.ts";

/** Default of `max_tokens`. */
const DEFAULT_TOKENS = 1_500;
/** Maximum length of a name, title or path in the output. */
const MAX_CHARS = 200;

/** Summarizes a source. */
export const kbDigest = defineTool({
  name: "kb_digest",
  title: "Summarize a source",
  description: `Summarize a source: sections, topics (tags), recent changes, and hints at gaps.

Use this tool when you need to:
- Get an overview before you search or write
- Find missing pages, neglected sections and other gaps; kb_health has the details`,
  scope: "read",
  engineVersion: "3.4.0",
  input: z.strictObject({ source: SourceArgument, max_tokens: MaxTokens.default(DEFAULT_TOKENS) }),
  output: z.looseObject({
    source: z.string(),
    documents: z.number(),
    sections: z.array(z.looseObject({ name: z.string(), documents: z.number() })).optional(),
    topics: z.array(z.looseObject({ tag: z.string(), documents: z.number() })).optional(),
    recent: z.array(z.looseObject({ path: z.string() })).optional(),
    gaps: z.looseObject({}).optional(),
  }),
  annotations: READ_ONLY,
  async run({ source: name, max_tokens }, context) {
    const source = await findSource(name, context);
    const { note, ...vault } = await readVault(source, context);
    const digest = digestOf(vault, { today: new Date(context.now()).toISOString().slice(0, 10) });
    return {
      source: source.name,
      ...fitLists((length) => presentDigest(digest, length), max_tokens),
      ...(note === undefined ? {} : { note }),
    };
  },
});

/** Presents a digest with the first items of its lists, without empty ones. */
function presentDigest({ documents, sections, topics, recent, gaps }: Digest, length: number) {
  const line = (text: string) => oneLine(text, MAX_CHARS);
  const items = <T, R>(name: string, list: readonly T[], present: (item: T) => R) =>
    list.length === 0 ? {} : { [name]: list.slice(0, length).map(present) };
  const { findings } = gaps;
  const shownGaps = {
    ...items("missing_pages", gaps.missing_pages, ({ name, links }) => ({ name: line(name), links })),
    ...items("small_sections", gaps.small_sections, line),
    ...items("quiet_sections", gaps.quiet_sections, line),
    ...items("tags_used_once", gaps.tags_used_once, line),
    ...(Object.keys(findings).length > 0 ? { findings } : {}),
  };
  return {
    documents,
    ...items("sections", sections, ({ name, topics, ...section }) => ({
      name: line(name),
      ...section,
      ...(topics.length > 0 ? { topics: topics.map(line) } : {}),
    })),
    ...items("topics", topics, ({ tag, documents }) => ({ tag: line(tag), documents })),
    ...items("recent", recent, ({ path, title, day }) => ({
      path: line(path),
      // A title that is the file's name is in the path.
      ...(path.endsWith(title) ? {} : { title: line(title) }),
      day,
    })),
    ...(Object.keys(shownGaps).length > 0 ? { gaps: shownGaps } : {}),
  };
}
