import * as z from "zod";
import { IMPORTED_TYPES } from "../../contract/mod.ts";
import { requirementOf } from "../../text/mod.ts";
import { tagsOf } from "../fields.ts";
import { type Destination, ImportError, type ImportItem } from "../import_items.ts";
import type { ImportInput } from "../input.ts";
import { jsonLines } from "../json_lines.ts";
import { collectionIn, plainTags, withCollection } from "../portable_document.ts";
import { toTime } from "../times.ts";

const Time = z.union([z.string(), z.number()]).refine((time) => toTime(time) !== undefined, {
  message: "must be a time such as 2026-03-31T09:00:00Z, or seconds since 1970",
});

/** A line of a JSONL file. Other fields are ignored. */
const Line = z.object({
  text: z.string().regex(/\S/, "must not be empty"),
  title: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  collection: z.string().nullish(),
  source_path: z.string().nullish(),
  kind: z.enum(IMPORTED_TYPES).nullish(),
  doc_type: z.enum(IMPORTED_TYPES).nullish(),
  created_at: Time.nullish(),
  updated_at: Time.nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

/** Reads a file with a JSON object in each line, which is a document. */
export async function* readJsonl(
  input: ImportInput,
  { collection, tags }: Destination,
): AsyncGenerator<ImportItem> {
  if (input.type !== "file") throw new ImportError("JSONL must be a file with a JSON object in each line");
  for await (const line of jsonLines(input.path)) {
    const name = `line ${line.number}`;
    if ("error" in line) {
      yield { name, error: line.error };
      continue;
    }
    const parsed = Line.safeParse(line.value);
    if (!parsed.success) {
      const issue = parsed.error.issues[0]!;
      yield { name, error: `${issue.path.join(".") || "The line"} must ${requirementOf(issue)}` };
      continue;
    }
    const { text, title, source_path, metadata, ...fields } = parsed.data;
    const own = fields.tags ?? [];
    const createdAt = toTime(fields.created_at);
    const updatedAt = toTime(fields.updated_at);
    yield {
      name,
      document: {
        ...(title && { title }),
        doc_type: fields.kind ?? fields.doc_type ?? "note",
        text,
        ...(source_path && { source_path }),
        tags: withCollection(
          tagsOf([...plainTags(own), ...tags]),
          fields.collection ?? collectionIn(own) ?? collection,
        ),
        ...(metadata && { metadata }),
        ...(createdAt && { created_at: createdAt }),
        ...(updatedAt && { updated_at: updatedAt }),
      },
    };
  }
}
