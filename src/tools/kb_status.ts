import { z } from "zod";
import { defineTool } from "./define.ts";

/** Health and statistics of the engine, and what this server says of itself. */
export const kbStatus = defineTool({
  name: "kb_status",
  title: "Knowledge base status",
  description:
    `Tells what the knowledge base holds and how it does: engine version, embedding model, device, counts \
of documents by type and collection, job queue, storage; and of this server its version, MCP revisions, collections \
and uploads in progress.`,
  input: z.strictObject({}),
  output: z.object({
    engine: z.looseObject({ version: z.string() }),
    server: z.looseObject({
      version: z.string(),
      collections: z.array(z.string()),
      uploads_in_progress: z.number(),
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
