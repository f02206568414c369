import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { zipSync } from "fflate";
import { exportDocuments } from "../../../src/cli/transfer/export.ts";
import { ExitError } from "../../../src/cli/exit_status.ts";
import { importDocuments } from "../../../src/cli/transfer/import.ts";
import { ClientFixture } from "../client/client_fixture.ts";
import { withFiles } from "../../transfer/formats/read_items.ts";
import { runCommand } from "../run_command.ts";

const conversation = (id: string, text: string) => ({
  uuid: id,
  name: `Chat ${id}`,
  created_at: "2024-03-31T07:00:00Z",
  updated_at: "2024-03-31T08:00:00Z",
  chat_messages: [{ uuid: "m", sender: "human", text, content: [] }],
});
const archive = (...items: unknown[]) =>
  zipSync({ "conversations.json": new TextEncoder().encode(JSON.stringify(items)) });

Deno.test("kb-mcp import and export", async (t) => {
  await using fixture = await ClientFixture.open();
  const files = {
    "first.zip": archive(conversation("1", "How long does tea steep?"), { uuid: 1, chat_messages: [] }),
    "second.zip": archive(
      conversation("1", "How long does tea steep? And coffee?"),
      conversation("2", "Hello"),
    ),
    "vault/.obsidian/app.json": "{}",
    "vault/data.csv": "drink,minutes\ntea,3\n",
    "vault/photo.png": "png",
    "vault/A.md": "---\npermalink: a\n---\nText",
    "other/notes.md": "# Just notes",
    "other.zip": zipSync({ "kb/kb-export.jsonl": new TextEncoder().encode("{}") }),
    "lines.jsonl": '{"text": "One"}\n{"text": ""}\n',
    "typo.jsonl": '{"text": "Two", "collection": "memroy"}',
    "memories.md": "no format",
  };
  await withFiles(files, async (root) => {
    const run = (path: string, options = {}) =>
      fixture.json((context) => importDocuments(`${root}/${path}`, options, context));

    await t.step("a conversation is imported once, and updated when it has gone on", async () => {
      const dry = await run("first.zip", { dryRun: true });
      assertEquals([dry.format, dry.dry_run, dry.created, dry.failed], ["claude", true, 1, 1]);
      assertEquals((await fixture.client.documents()).total, 0);
      const first = await run("first.zip", { tags: ["chat"] });
      assertEquals([first.created, first.failures], [1, [{
        name: "conversations.json, item 2",
        error: "It must have a uuid",
      }]]);
      assertEquals((await run("first.zip")).unchanged, 1);
      const second = await run("second.zip", { collection: "workspace" });
      assertEquals([second.created, second.updated], [1, 1]);
      const [one] = (await fixture.client.documents({ source_path: "claude/1" })).documents;
      assertEquals([one?.tags, one?.created_at, one?.version], [
        ["chat", "collection:documents"],
        "2024-03-31T07:00:00.000Z",
        2,
      ]);
    });

    await t.step("the exit status is 2 if some failed, and failures are on standard error", async () => {
      let status = 0;
      const { text, error } = await fixture.terminal(async (context) => {
        status = await importDocuments(`${root}/lines.jsonl`, {}, context);
      });
      assertEquals([status, error], [2, "line 2: text must not be empty\n"]);
      assertStringIncludes(text, "(jsonl): 1 created, 0 updated, 0 unchanged, 1 failed.");
    });

    await t.step("an input of no format, or of several, says what to do", async () => {
      await assertRejects(
        () => run("vault"),
        Error,
        "looks like obsidian and basic-memory: name the format with --format",
      );
      const vault = await run("vault", { format: "obsidian" });
      assertEquals([vault.created, vault.skips], [2, { "files of the type .png": 1 }]);
      assertEquals((await run("vault", { format: "obsidian" })).unchanged, 2);
      const [attachment] = (await fixture.client.documents({ source_path: "vault/data.csv" })).documents;
      assertEquals(attachment?.tags, ["collection:documents"]);
      assertStringIncludes(
        (await run("typo.jsonl")).failures[0].error,
        "collection must be one of documents, memory",
      );
      await assertRejects(() => run("other"), Error, "or add a folder of documents with kb-mcp add");
      await assertRejects(() => run("memories.md"), Error, "Cannot find out the format");
      await assertRejects(() => run("other.zip"), Error, "Unpack it, and import the folder");
      for (const format of ["export", "obsidian"] as const) {
        await assertRejects(
          () => run("other.zip", { format }),
          Error,
          "must be a folder: unpack the archive",
        );
      }
      await assertRejects(() => run("lines.jsonl", { format: "obsidian" }), Error, "must be a folder");
      await assertRejects(
        () => run("lines.jsonl", { collection: "memroy" }),
        Error,
        'Did you mean "memory"?',
      );
    });

    await t.step("an export is written and imported by both formats", async () => {
      for (const format of ["markdown", "jsonl"] as const) {
        const target = `${root}/export-${format}`;
        const report = await fixture.json((context) => exportDocuments(target, { format }, context));
        assertEquals([report.documents, report.failures], [5, []]);
        await using empty = await ClientFixture.open();
        const imported = await empty.json((context) => importDocuments(target, {}, context));
        assertEquals([imported.format, imported.created, imported.failed], ["export", 5, 0]);
        const again = await empty.json((context) => exportDocuments(`${target}-again`, { format }, context));
        assertEquals(again.documents, 5);
        const file = format === "jsonl" ? "kb-documents.jsonl" : "kb-export.jsonl";
        assertEquals(
          await Deno.readTextFile(`${target}-again/${file}`),
          await Deno.readTextFile(`${target}/${file}`),
        );
      }
    });

    await t.step("an export can be limited, and refuses a directory with other files", async () => {
      const { text } = await fixture.terminal((context) =>
        exportDocuments(`${root}/some`, { collection: ["workspace"], since: "7d" }, context)
      );
      assertStringIncludes(text, "0 documents");
      await assertRejects(
        () => fixture.json((context) => exportDocuments(`${root}/vault`, {}, context)),
        Error,
        "it has other files",
      );
    });

    await t.step("an export names the reason why a directory cannot be used", async () => {
      for (const format of ["markdown", "jsonl"] as const) {
        const error = await assertRejects(
          () => fixture.json((context) => exportDocuments(`${root}/vault/A.md/x`, { format }, context)),
          ExitError,
          'vault/A.md/x": Not a directory',
        );
        assertEquals(error.status, 64);
      }
    });
  });
});

Deno.test("the help of import and export has the formats and exit statuses", async () => {
  const { stdout } = await runCommand(["import", "--help"]);
  assertStringIncludes(stdout, '"mcp-memory-service"');
  assertStringIncludes(stdout, "2        some documents could not be imported");
  assertStringIncludes((await runCommand(["export", "--help"])).stdout, "--source-path-prefix");
});
