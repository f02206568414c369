import { assertEquals, assertRejects } from "@std/assert";
import { errorText } from "../../../src/cli/client/error_text.ts";
import { EngineError } from "../../../src/client/mod.ts";
import { ClientFixture } from "./client_fixture.ts";

Deno.test("errors name commands instead of tools", async () => {
  await using kb = await ClientFixture.open();
  const id = await kb.add("text", { title: "T" });
  await kb.client.deleteDocument(id, { actor: "test" });
  const message = async (run: () => Promise<unknown>) =>
    errorText((await assertRejects(run, EngineError)).message);
  assertEquals(
    await message(() => kb.client.document(99, {})),
    "The engine has no document 99: it may have been deleted. Run kb-mcp search to find documents.",
  );
  assertEquals(
    await message(() => kb.client.job("none")),
    "The engine has no job none. Run kb-mcp jobs to list the jobs.",
  );
  assertEquals(
    (await message(() => kb.client.document(id, {}))).replace(/^.*"test"\. /, ""),
    `kb-mcp restore brings it back.`,
  );
  assertEquals(
    errorText(
      "The local engine is unreachable (connection refused). Check that it runs and that KB_ENGINE_URL is right, then try again.",
    ),
    "The local engine is unreachable (connection refused). Start kb-mcp serve, then try again.",
  );
  assertEquals(
    errorText("The engine does not accept this (400): Cannot add the folder: it is not a folder."),
    "Cannot add the folder: it is not a folder.",
  );
  assertEquals(
    errorText("Check the document with kb_get before you edit it again."),
    "Check the document with kb-mcp get before you edit it again.",
  );
  assertEquals(
    errorText(
      "The engine accepts no changes at present, because its disk is read-only or its writer has failed. Nothing was " +
        "changed, and searching still works. Tell the user that the operator has to fix it; the engine's log has the reason.",
    ).replace(/^.*works\. /, ""),
    "The engine's log has the reason.",
  );
});

Deno.test("a file whose text cannot be edited is an error with the command that replaces it", async () => {
  await using kb = await ClientFixture.open();
  const open = () => new Response("# Report").body!;
  const { job_id } = await kb.client.addFile({ filename: "report.md", size: 8, open, tags: [] });
  const { document_id } = await kb.client.waitForJob(job_id, { timeoutMs: 60_000 });
  const id = Number(document_id);
  const message = async (run: () => Promise<unknown>) =>
    errorText((await assertRejects(run, EngineError)).message);
  const advice = "add its new version with the same path (kb-mcp add). " +
    "A document with a source (kb-mcp get) changes with its file only: change the file there.";
  assertEquals(
    await message(() => kb.client.updateNote(id, { text: "new" }, { actor: "test" })),
    `Document ${id} is not a note: only notes can be updated. To replace another kind of document, ${advice}`,
  );
  assertEquals(
    (await message(() => kb.client.editDocument(id, { append: "new" }, { actor: "test" }))).replace(
      /^.*changed: /,
      "",
    ),
    `edit its title, tags, path or metadata, or ${advice}`,
  );
});
