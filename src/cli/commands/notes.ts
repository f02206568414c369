import { Command } from "commander";
import type { AddNoteOptions, EditOptions, UpdateNoteOptions } from "../client/notes.ts";
import type { CommandContext } from "../context.ts";
import { ifVersion, type OutputFlags, values, withOutput, words } from "./client_options.ts";

/** `kb-mcp addnote`. */
export function addNoteCommand(context: CommandContext): Command {
  const command = new Command("addnote")
    .summary("add a note")
    .description("Add a note in Markdown: from the argument, a file, or standard input.")
    .argument("[text]", "text of the note; - or none: standard input")
    .option("-f, --file <file>", "read the text from this file")
    .option("--title <title>", "title (default: derived from the text)")
    .option("-c, --collection <name>", "collection (default: documents)")
    .option("-t, --tags <tags>", "tags, separated by commas", words)
    .option("--path <name>", "stable name, such as memory/feedback.md; a new text replaces the note there")
    .option("--overwrite", "replace any document at --path")
    .option("--no-wait", "do not wait until the note is stored");
  return withOutput(command, {
    examples: [
      ['kb-mcp addnote "The kettle is in the cupboard." -c memory', "Remember a fact"],
      ["git log -1 | kb-mcp addnote - --title 'Last commit' --tags git", "Add the output of a program"],
    ],
  }).action(async (text: string | undefined, options: AddNoteOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { addNote } = await import("../client/notes.ts");
    await runClient(context, options, (client) => addNote(text, options, client), { createsData: true });
  });
}

/** `kb-mcp updatenote`. */
export function updateNoteCommand(context: CommandContext): Command {
  const command = new Command("updatenote")
    .summary("replace the text of a note")
    .description("Replace the text of a note, which keeps its id. The former text can be restored.")
    .argument("<id>", "id of the note")
    .argument("[text]", "new text; - or none: standard input")
    .option("-f, --file <file>", "read the text from this file")
    .option("--title <title>", "new title")
    .option(...ifVersion);
  return withOutput(command, {
    examples: [
      ['kb-mcp updatenote 42 "The kettle is broken."', "Replace the text of note 42"],
      [
        "kb-mcp get 42 --raw | sed s/red/blue/ | kb-mcp updatenote 42 -",
        "Change a note with another program",
      ],
    ],
  }).action(async (id: string, text: string | undefined, options: UpdateNoteOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { updateNote } = await import("../client/notes.ts");
    await runClient(context, options, (client) => updateNote(id, { ...options, text }, client));
  });
}

/** `kb-mcp edit`. */
export function editCommand(context: CommandContext): Command {
  const command = new Command("edit")
    .summary("change parts of a document")
    .description("Change parts of a document: all of the changes or none. Text can be changed in notes only.")
    .argument("<id>", "id of the document")
    .option("--find <text>", "passage to replace, which must occur once")
    .option("--replace <text>", "new text for --find")
    .option("--section <heading>", "Markdown heading whose text to replace")
    .option("--with <text>", "new text for --section")
    .option("--append <text>", "add lines at the end")
    .option("--prepend <text>", "add lines at the top")
    .option("--title <title>", "new title")
    .option("--path <name>", "new path; an empty one removes it")
    .option("--add-tags <tags>", "tags to add, separated by commas", words)
    .option("--remove-tags <tags>", "tags to remove", words)
    .option("--metadata <field=value>", "field to set, in JSON or text; an empty value removes it", values)
    .option(...ifVersion);
  return withOutput(command, {
    examples: [
      ["kb-mcp edit 42 --find red --replace blue", "Replace a passage"],
      ["kb-mcp edit 42 --append '- milk'", "Add a line"],
      [
        "kb-mcp edit 42 --section Risks --with 'None.' --add-tags done",
        "Replace a section, and tag the note",
      ],
    ],
  }).action(async (id: string, options: EditOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { edit } = await import("../client/notes.ts");
    await runClient(context, options, (client) => edit(id, options, client));
  });
}
