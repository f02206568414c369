import { checkCallerTags, collectionTag, DEFAULT_COLLECTION } from "../../collections/mod.ts";
import { ConfigError } from "../../config/mod.ts";
import type { DocumentEdit, Job } from "../../contract/mod.ts";
import { oneLine } from "../../text/mod.ts";
import { moveDocument } from "../../tools/mod.ts";
import { ExitError } from "../exit_status.ts";
import { ACTOR, type ClientContext } from "./client_context.ts";
import { documentLabel } from "./document_table.ts";
import { splitField } from "./filters.ts";
import { parseId } from "./ids.ts";
import { readNoteText, type TextSource } from "./note_text.ts";

/** Maximum time to wait for a note, in milliseconds. A new note takes a few. */
const WAIT_MS = 60_000;

/** Options of `kb-mcp addnote`, as the parser returns them. */
export interface AddNoteOptions {
  readonly file?: string;
  readonly title?: string;
  readonly collection?: string;
  readonly tags?: readonly string[];
  readonly path?: string;
  readonly overwrite?: boolean;
  /** False with `--no-wait`. */
  readonly wait?: boolean;
}

/**
 * Implements `kb-mcp addnote`.
 *
 * @throws {ExitError} If the engine cannot store it.
 */
export async function addNote(
  text: string | undefined,
  options: AddNoteOptions,
  { client, collections, output, signal }: ClientContext,
): Promise<void> {
  const { title, tags = [], path, overwrite, wait = true } = options;
  const collection = collections.check(options.collection ?? DEFAULT_COLLECTION);
  const submitted = await client.addNote({
    text: await readNoteText({ text, file: options.file }),
    title,
    source_path: path,
    tags: [collectionTag(collection), ...checkCallerTags(tags)],
    overwrite,
    keepCollection: options.collection === undefined,
  }, { actor: ACTOR, signal });
  const job: Pick<Job, "job_id" | "status"> & Partial<Job> = wait
    ? await client.waitForJob(submitted.job_id, { timeoutMs: WAIT_MS, signal })
    : submitted;
  if (job.status === "failed") throw new ExitError(1, `The note was not stored: ${jobError(job)}`);
  if (job.status === "cancelled") throw new ExitError(1, "The note was not stored: the job was cancelled");
  const { document_id, outcome } = job;
  if (document_id !== null && document_id !== undefined && outcome !== "created" && options.collection) {
    // An engine of another make has only added the tag of the second collection.
    const caller = { id: ACTOR, name: ACTOR, scope: "write" } as const;
    await moveDocument(document_id, { target: collection }, { engine: client, caller, signal });
  }
  if (output.isJson) output.json(job);
  else if (document_id === null || document_id === undefined) output.lines(`Accepted as job ${job.job_id}.`);
  else output.lines(`${describeOutcome(outcome)} document ${document_id}.`);
}

/** Returns the outcome of a job as a past participle. */
function describeOutcome(outcome: string | null | undefined): string {
  const words: Readonly<Record<string, string>> = {
    created: "Added",
    replaced: "Replaced",
    duplicate: "Already stored as",
  };
  return words[outcome ?? ""] ?? "Stored";
}

/** Returns the reason of a failed job. */
export function jobError({ error, conflict }: Partial<Job>): string {
  const at = conflict && !conflict.source
    ? ` (document ${conflict.document_id}; --overwrite replaces it)`
    : "";
  return (oneLine(error ?? "") || "the engine gave no reason") + at;
}

/** Options of `kb-mcp updatenote`, as the parser returns them. */
export interface UpdateNoteOptions {
  readonly file?: string;
  readonly title?: string;
  readonly ifVersion?: number;
}

/** Implements `kb-mcp updatenote`: replaces a note's text. */
export async function updateNote(
  id: string,
  { text, ...options }: UpdateNoteOptions & Pick<TextSource, "text">,
  { client, output, signal }: ClientContext,
): Promise<void> {
  const { title, ifVersion, file } = options;
  const patch = { text: await readNoteText({ text, file }), ...(title === undefined ? {} : { title }) };
  const { chunks: _, ...document } = await client.updateNote(parseId(id), patch, {
    ifVersion,
    actor: ACTOR,
    signal,
  });
  if (output.isJson) return output.json(document);
  output.lines(`Updated document ${document.document_id}: ${documentLabel(document)}`);
}

/** Options of `kb-mcp edit`, as the parser returns them. */
export interface EditOptions {
  readonly title?: string;
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
  readonly path?: string;
  readonly metadata?: readonly string[];
  readonly find?: string;
  readonly replace?: string;
  readonly section?: string;
  readonly with?: string;
  readonly append?: string;
  readonly prepend?: string;
  readonly ifVersion?: number;
}

/** Implements `kb-mcp edit`: changes parts of a document, all or none. */
export async function edit(
  id: string,
  { ifVersion, ...options }: EditOptions,
  { client, output, signal }: ClientContext,
): Promise<void> {
  const change = toEdit(options);
  const { changed, excerpts = [], chunks: _, ...document } = await client.editDocument(parseId(id), change, {
    ifVersion,
    actor: ACTOR,
    signal,
  });
  if (output.isJson) return output.json({ ...document, changed, excerpts });
  output.lines(
    changed
      ? `Changed document ${document.document_id}: ${documentLabel(document)}`
      : `Document ${document.document_id} has these values already.`,
  );
  for (const { line, text } of changed ? excerpts : []) {
    output.lines(output.colors.dim(`from line ${line}:`));
    output.text(text);
  }
}

function toEdit(options: EditOptions): DocumentEdit {
  const { title, addTags, removeTags, path, metadata, find, replace, section, append, prepend } = options;
  if ((find === undefined) !== (replace === undefined)) {
    throw new ConfigError("--find and --replace must be given together");
  }
  if ((section === undefined) !== (options.with === undefined)) {
    throw new ConfigError("--section HEADING and --with TEXT must be given together");
  }
  const change: DocumentEdit = {
    title,
    add_tags: addTags && checkCallerTags(addTags, "--add-tags"),
    remove_tags: removeTags && checkCallerTags(removeTags, "--remove-tags"),
    source_path: path === "" ? null : path,
    metadata: metadata && Object.fromEntries(metadata.map(metadataField)),
    replace: find === undefined || replace === undefined ? undefined : { old: find, new: replace },
    section: section === undefined || options.with === undefined
      ? undefined
      : { heading: section, text: options.with },
    append,
    prepend,
  };
  if (Object.values(change).some((value) => value !== undefined)) return change;
  throw new ConfigError("A change is missing: see kb-mcp edit --help");
}

/** Parses `FIELD=VALUE`: a JSON value or text. An empty value removes the field. */
function metadataField(field: string): [name: string, value: unknown] {
  const [name, value] = splitField("--metadata", field);
  if (value === "") return [name, null];
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}
