import { assertEquals, assertMatch } from "@std/assert";
import { killedStore } from "../engine/sqlite/store/test_store.ts";
import { runProgram } from "../support/program.ts";

Deno.test("damaged data is refused with one line and status 65", async () => {
  await using dir = await killedStore(3);
  await Deno.truncate(`${dir.database}-wal`, 5000);
  const { code, stdout, stderr } = await runProgram(["serve"], { KB_DATA_DIR: dir.path });
  assertEquals([code, stdout], [65, ""]);
  assertMatch(stderr, /^kb-mcp: Cannot open kb\.db in KB_DATA_DIR "[^\n]+kb-mcp repair"\n$/);
});
