import * as z from "zod";
import { defineTool } from "./define.ts";

/** Health and statistics of the engine, and what this server says of itself. */
export const kbStatus = defineTool({
  name: "kb_status",
  title: "Knowledge base status",
  icon: "M0 8V5h2V3h3V0h3v8z",
  description:
    `Tells what the knowledge base holds and how it does: engine version, embedding model, documents by type and \
collection, job queue, storage; of this server version, MCP revisions, collections and uploads in progress.`,
  input: z.strictObject({}),
  output: z.looseObject({
    engine: z.looseObject({ version: z.string() }),
    server: z.looseObject({
      version: z.string(),
      collections: z.array(z.string()),
    }),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: "read",
  async run(_input, { engine, collections, uploads, server, signal }) {
    return {
      engine: await engine.status({ signal }),
      server: {
        ...server(),
        collections: [...collections.names],
        uploads_in_progress: uploads.active.uploads,
      },
    };
  },
});
