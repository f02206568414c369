/*
 * The knowledge graph of @modelcontextprotocol/server-memory: a file of JSON lines, each an entity with observations, or
 * a relation between two entities.
 */
import { type Fields, fieldsOf, listOf, tagsOf, textOf, titleOf } from "../fields.ts";
import { type Destination, ImportError, type ImportItem } from "../import_items.ts";
import type { ImportInput } from "../input.ts";
import { withCollection } from "../portable_document.ts";
import { jsonLines } from "../json_lines.ts";

/** Reads entities, each as a note with its observations and its relations. */
export async function* readServerMemory(
  input: ImportInput,
  { collection, tags }: Destination,
): AsyncGenerator<ImportItem> {
  if (input.type !== "file") {
    throw new ImportError("The memory of server-memory must be a file, such as memory.json");
  }
  const entities = new Map<string, Fields>();
  const relations = new Map<string, string[]>();
  for await (const line of jsonLines(input.path)) {
    if ("error" in line) {
      yield { name: `line ${line.number}`, error: line.error };
      continue;
    }
    const fields = fieldsOf(line.value);
    const name = textOf(fields["name"]);
    const from = textOf(fields["from"]);
    if (fields["type"] === "entity" && name !== undefined) entities.set(name, fields);
    else if (fields["type"] === "relation" && from !== undefined) {
      const relation = `- ${textOf(fields["relationType"]) ?? "relates to"} [[${
        textOf(fields["to"]) ?? ""
      }]]`;
      relations.set(from, [...relations.get(from) ?? [], relation]);
    } else yield { name: `line ${line.number}`, error: "It must be an entity or a relation" };
  }
  for (const [name, { entityType, observations }] of entities) {
    const observed = listOf(observations).flatMap((each) => textOf(each) ?? []).map((text) => `- ${text}`);
    const sections = [observed.join("\n"), (relations.get(name) ?? []).join("\n")];
    const type = titleOf(entityType);
    yield {
      name,
      document: {
        title: titleOf(name) ?? "Entity",
        doc_type: "note",
        text: [`# ${titleOf(name)}`, ...sections.filter((text) => text !== "")].join("\n\n"),
        source_path: `server-memory/${name}`,
        tags: withCollection(tagsOf([...tags, ...(type === undefined ? [] : [type])]), collection),
        ...(type !== undefined && { metadata: { type } }),
      },
    };
  }
}
