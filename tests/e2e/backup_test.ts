/** The backup procedure of docs/operations.md. */
import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { EngineClient } from "../../src/client/mod.ts";
import { startEngineProcess } from "../support/product.ts";

Deno.test("VACUUM INTO of a running engine's database restores in an empty directory", async () => {
  const directory = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  try {
    const backup = `${directory}/kb-backup.db`;
    {
      await using engine = await startEngineProcess(directory, { KB_DATA_DIR: `${directory}/old` });
      const client = new EngineClient({ baseUrl: engine.url });
      const { job_id } = await client.addNote({ text: "The kettle is in the cupboard.", tags: [] });
      await client.waitForJob(job_id, { timeoutMs: 30_000 });
      using database = new DatabaseSync(`${directory}/old/kb.db`, { readOnly: true });
      database.exec(`VACUUM INTO '${backup}'`);
    }
    await Deno.mkdir(`${directory}/new`);
    await Deno.copyFile(backup, `${directory}/new/kb.db`);
    await using engine = await startEngineProcess(directory, { KB_DATA_DIR: `${directory}/new` });
    const { results } = await new EngineClient({ baseUrl: engine.url }).search({ query: "kettle" });
    assertEquals(results.map(({ text }) => text), ["The kettle is in the cupboard."]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
