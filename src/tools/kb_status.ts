import * as z from "zod";
import { hasContractVersion } from "../client/mod.ts";
import { withVisibleText } from "../presentation/mod.ts";
import { defineTool } from "./tool.ts";

/** Returns the status of the engine and of this server. */
export const kbStatus = defineTool({
  name: "kb_status",
  title: "Knowledge base status",
  description: `Show the status of the knowledge base.

Use this tool when you need to:
- See which collections and tags exist, and how many documents each has
- Check versions, embedding model, job queue, storage or uploads`,
  scope: "read",
  input: z.strictObject({}),
  output: z.looseObject({
    engine: z.looseObject({ version: z.string() }),
    server: z.looseObject({ collections: z.array(z.string()) }),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(_input, { engine, collections, uploads, server, tools, signal }) {
    const status = await engine.status({ signal });
    const unavailable = tools.filter(({ engineVersion }) =>
      engineVersion !== undefined && hasContractVersion(status.version, engineVersion) === false
    ).map(({ name }) => name);
    return {
      engine: withVisibleText(status),
      // The tools are listed all the same: lists are cached, and the engine may be upgraded at any time.
      ...(unavailable.length > 0 ? { unavailable_tools: unavailable } : {}),
      server: {
        ...server(),
        collections: [...collections.names],
        uploads_in_progress: uploads.active.uploads,
      },
    };
  },
});
