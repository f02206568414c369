import { Command } from "commander";
import type { PageOptions } from "../client/history.ts";
import type { CommandContext } from "../context.ts";
import { type OutputFlags, withOutput, withPage } from "./client_options.ts";

/** `kb-mcp history`. */
export function historyCommand(context: CommandContext): Command {
  const command = new Command("history")
    .summary("list the former versions of a document")
    .description("List the former versions of a document, newest first, also of a deleted one.")
    .argument("<id>", "id of the document");
  return withOutput(withPage(command), {
    examples: [
      ["kb-mcp history 42", "List the versions of a document"],
      ["kb-mcp get 42 --revision 3", "Print one of them"],
    ],
  }).action(async (id: string, options: PageOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { history } = await import("../client/history.ts");
    await runClient(context, options, (client) => history(id, pageOf(options), client));
  });
}

/** `kb-mcp trash`. */
export function trashCommand(context: CommandContext): Command {
  const command = new Command("trash")
    .summary("list deleted documents")
    .description("List the deleted documents that can be restored, most recently deleted first.");
  return withOutput(withPage(command), {
    examples: [["kb-mcp trash", "List deleted documents"], ["kb-mcp restore 42", "Restore one of them"]],
  }).action(async (options: PageOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { trash } = await import("../client/history.ts");
    await runClient(context, options, (client) => trash(pageOf(options), client));
  });
}

function pageOf({ limit, cursor }: PageOptions): PageOptions {
  return { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) };
}
