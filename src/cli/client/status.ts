import type { EngineStatus, Source } from "../../contract/mod.ts";
import { oneLine } from "../../text/mod.ts";
import { VERSION } from "../../version.ts";
import { counted, mebibytes } from "../format.ts";
import type { ClientContext } from "./client_context.ts";
import { supportedSources } from "./find_source.ts";

/** Implements `kb-mcp status`. */
export async function status({ client, output, signal, engineName: name }: ClientContext): Promise<void> {
  const engine = await client.status({ signal });
  const sources = await supportedSources({ client, signal });
  if (output.isJson) {
    return output.json({ version: VERSION, connection: name, engine, ...(sources && { sources }) });
  }
  for (const [label, value] of [...describe(engine, name), ...describeSources(sources ?? [])]) {
    if (value !== "") output.lines(`${output.colors.dim(`${label}:`.padEnd(12))} ${value}`);
  }
}

function describeSources(sources: readonly Source[]): [label: string, value: string][] {
  return sources.map(({ name, documents, state, last_sync }) => {
    const failed = last_sync && last_sync.failed > 0 ? `, ${counted(last_sync.failed, "file")} failed` : "";
    const problem = last_sync?.error ? `; ${oneLine(last_sync.error)}` : "";
    return [
      "source",
      `${oneLine(name)}: ${counted(documents, "document")}, ${oneLine(state)}${failed}${problem}`,
    ];
  });
}

function describe(engine: EngineStatus, name: string): [label: string, value: string][] {
  const { documents, chunks, tags, trash, vectors, queue, storage, model, device } = engine;
  return [
    ["program", `kb-mcp ${VERSION}`],
    ["engine", `contract ${oneLine(engine.version)}, ${oneLine(name)}`],
    ["documents", documents ? `${documents.total}${counts(documents.by_collection)}` : ""],
    ["types", documents ? counts(documents.by_type).slice(2) : ""],
    ["chunks", chunks?.toString() ?? ""],
    ["tags", tags?.toString() ?? ""],
    ["trash", trash ? counted(trash.documents, "document") : ""],
    ["model", model ? shortText(model) : "none, full text only"],
    ["vectors", vectors ? describeVectors(vectors) : ""],
    ["device", device ? shortText(device) : ""],
    ["queue", queue ? fields(queue) : ""],
    ["storage", storage ? fields(storage) : ""],
  ];
}

function describeVectors({ embedded, total, refused, error }: NonNullable<EngineStatus["vectors"]>): string {
  const share = `${embedded} of ${total}`;
  const rejected = refused ? `, ${refused} rejected by the model` : "";
  return share + rejected + (error ? `; ${oneLine(error)}` : "");
}

/** Returns the names with the largest numbers first: `: documents 12, memory 3`. */
function counts(values: Readonly<Record<string, number>>): string {
  const entries = Object.entries(values).filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  return entries.length === 0
    ? ""
    : `: ${entries.map(([name, count]) => `${oneLine(name)} ${count}`).join(", ")}`;
}

/** Returns the scalar fields of an object, sizes in MiB. */
function fields(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values).flatMap(([name, value]) => {
    if (typeof value === "number" && name.endsWith("_bytes")) {
      return [`${oneLine(name.slice(0, -"_bytes".length))} ${mebibytes(value)}`];
    }
    return typeof value === "object"
      ? []
      : [`${oneLine(name.replaceAll("_", " "))} ${oneLine(String(value))}`];
  }).join(", ");
}

function shortText(value: unknown): string {
  return oneLine(typeof value === "string" ? value : JSON.stringify(value));
}
