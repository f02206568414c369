import * as z from "zod";
import { checkCallerTags, DEFAULT_COLLECTION } from "../collections/mod.ts";
import { visibleText } from "../text/mod.ts";
import { CallerTags, CollectionName, DocumentSourcePath, DocumentTitle } from "./arguments.ts";
import { checkFile, engineFormats } from "./file_types.ts";
import { followsFile } from "./ingestion.ts";
import { defineTool, type ToolContext, ToolError } from "./tool.ts";

/** Recommended chunk size (decision D5): 1 MiB raw, 1.33 MiB as base64. */
const RECOMMENDED_CHUNK_BYTES = 2 ** 20;

/** Starts an upload. A model types every base64 character itself, so the output offers a curl command too. */
export const kbUploadStart = defineTool({
  name: "kb_upload_start",
  title: "Start a file upload",
  description: `Start the upload of a file (PDF, Office, e-mail, ZIP, text …) from your machine.

Use this tool when you need to:
- Add a file, or a new version (same source_path)

Then send the bytes and call kb_upload_finish:
1. If you can run commands: run the returned curl line (adjust the path); better unless tiny.
2. Otherwise kb_upload_chunk with base64 of recommended_chunk_bytes at a time, chunk_index 0, 1, 2, …
Example: kb_upload_start {"filename":"a.pdf","total_size":5242880} → upload_id; \
kb_upload_chunk {"upload_id":…,"chunk_index":0,"data":"JVBERi0…"} ….
Expires at expires_at unless bytes arrive.`,
  scope: "add",
  argumentScopes: { overwrite: "write" },
  input: z.strictObject({
    filename: z.string().min(1).max(1000).describe("Name with its extension."),
    total_size: z.int().min(1).describe("Bytes of the file."),
    sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits").optional()
      .describe("Expected hash, hexadecimal."),
    title: DocumentTitle.optional().describe("Omit to use the file's own."),
    collection: CollectionName.optional().describe("As in kb_addnote."),
    tags: CallerTags.optional().describe("Labels to filter by."),
    source_path: DocumentSourcePath.optional().describe(
      "As in kb_addnote.",
    ),
    overwrite: z.boolean().optional().describe("As in kb_addnote."),
  }),
  // Also has the fields of `UploadOutput`.
  output: z.looseObject({
    upload_id: z.string(),
    upload_url: z.string(),
    curl: z.string(),
    recommended_chunk_bytes: z.number(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async run(
    { filename, total_size, sha256, title, collection, tags, source_path, overwrite },
    { engine, uploads, collections, caller, baseUrl, server, signal },
  ) {
    const file = { filename, size: total_size };
    const formats = await engineFormats(file, {
      engine,
      isEmbedded: server().engine === "embedded",
      signal,
    });
    if (formats) checkFile(file, formats);
    if (source_path !== undefined) await checkPath(source_path, { engine, signal });
    const { capability, ...state } = await uploads.start(caller.id, {
      filename,
      totalSize: total_size,
      sha256,
      title,
      sourcePath: source_path,
      tags: checkCallerTags(tags ?? []),
      collection: collections.check(collection ?? DEFAULT_COLLECTION),
      keepCollection: collection === undefined,
      overwrite,
    });
    const upload_url = `${baseUrl}/uploads/${capability}`;
    return {
      ...state,
      upload_url,
      curl: curlLine(state.filename, upload_url),
      recommended_chunk_bytes: RECOMMENDED_CHUNK_BYTES,
    };
  },
});

/**
 * Rejects the path of a document that follows its file in a source, before the bytes are sent. No upload replaces it.
 *
 * @throws {ToolError} Says what to do instead.
 */
async function checkPath(
  source_path: string,
  { engine, signal }: Pick<ToolContext, "engine" | "signal">,
): Promise<void> {
  // The upload does not need the engine yet.
  const page = await engine.documents({ source_path }, { signal }).catch(() => undefined);
  const document = page?.documents.find(({ source }) => source);
  if (!document?.source) return;
  const { document_id, source } = document;
  throw new ToolError(
    `Document ${document_id} is at the source_path. Nothing was changed: ${followsFile(visibleText(source))}`,
  );
}

/**
 * Builds a command for a POSIX shell. `--fail-with-body` (curl 7.76, 2021) fails like `-f`, but prints the
 * server's error. `-g`, because curl would expand brackets and braces in the name.
 */
function curlLine(filename: string, url: string): string {
  // curl reads a leading "-" as an option, and "-" or "." alone as standard input.
  const path = /^[-.]/.test(filename) ? `./${filename}` : filename;
  return `curl --fail-with-body -sS -g -T ${shellQuote(path)} ${shellQuote(url)}`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
