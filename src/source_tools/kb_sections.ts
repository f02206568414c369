import * as z from "zod";
import type { Source } from "../contract/mod.ts";
import { oneLine } from "../text/mod.ts";
import { defineTool } from "../tools/mod.ts";
import { READ_ONLY, SourceArgument } from "./arguments.ts";
import { findSource } from "./find_source.ts";
import { fitLists } from "./fit.ts";

/** Maximum size of an output. */
const MAX_TOKENS = 3_000;
/** Maximum length of a description. */
const MAX_DESCRIPTION_CHARS = 200;

/** Lists the sources and their sections. */
export const kbSections = defineTool({
  name: "kb_sections",
  title: "List sources and sections",
  description:
    `List the sources (folders and websites that the knowledge base follows) and their sections (top folders).

Use this tool when you need to:
- Learn what is stored where
- Scope kb_search or kb_list: pass "source/section/" as source_path`,
  scope: "read",
  engineVersion: "3.4.0",
  input: z.strictObject({ source: SourceArgument.describe("Only this one.") }),
  output: z.looseObject({
    sources: z.array(z.looseObject({
      name: z.string(),
      documents: z.number(),
      sections: z.array(z.looseObject({ name: z.string(), documents: z.number() })).optional(),
    })),
  }),
  annotations: READ_ONLY,
  async run({ source }, context) {
    const sources = source === undefined
      ? await context.engine.sources({ signal: context.signal })
      : [await findSource(source, context)];
    return fitLists(
      (length) => ({ sources: sources.map((each) => presentSource(each, length)) }),
      MAX_TOKENS,
    );
  },
});

/** Presents a source with its largest sections. Files outside of folders are `top_documents`. */
function presentSource({ name, type, documents, writable, description, ...rest }: Source, length: number) {
  const top = rest.sections.find((section) => section.name === "")?.documents ?? 0;
  const folders = rest.sections.filter((section) => section.name !== "");
  const shown = folders.toSorted((a, b) => b.documents - a.documents).slice(0, length);
  const sections = folders.filter((section) => shown.includes(section)).map((section) => ({
    name: oneLine(section.name, 200),
    documents: section.documents,
    ...(section.description ? { description: oneLine(section.description, MAX_DESCRIPTION_CHARS) } : {}),
  }));
  return {
    name,
    ...(description ? { description: oneLine(description, MAX_DESCRIPTION_CHARS) } : {}),
    ...(type === "folder" ? {} : { type }),
    ...(writable ? { writable } : {}),
    documents,
    ...(top > 0 && folders.length > 0 ? { top_documents: top } : {}),
    ...(sections.length > 0 ? { sections } : {}),
    ...(folders.length > sections.length ? { sections_total: folders.length } : {}),
    ...(rest.state === "syncing" ? { state: "syncing" } : {}),
  };
}
