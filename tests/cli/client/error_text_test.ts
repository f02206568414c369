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
});
