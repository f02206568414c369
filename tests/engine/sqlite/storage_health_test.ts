import { assertEquals, assertRejects } from "@std/assert";
import { KnowledgeBaseError } from "../../../src/engine/knowledge_base/mod.ts";
import { EmbeddedEngine, formOf } from "../../support/embedded_engine.ts";
import { StorageHealth } from "../../../src/engine/sqlite/storage_health.ts";
import { namesIn } from "./store/test_store.ts";
import { silentLogger } from "../../../src/telemetry/mod.ts";

const damage = () => Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
const noMemory = () => Object.assign(new Error("out of memory"), { errcode: 7 });
const full = new KnowledgeBaseError("storage_full", "full");

async function fixture({ isReadOnly = false, hasDatabase = false } = {}) {
  const dataDir = await Deno.makeTempDir();
  if (hasDatabase) await Deno.writeTextFile(`${dataDir}/kb.db`, "");
  const damages: KnowledgeBaseError[] = [];
  let now = 0;
  const health = new StorageHealth({
    dataDir,
    isReadOnly,
    log: silentLogger,
    onDamage: (error) => damages.push(error),
    now: () => now,
  });
  return {
    dataDir,
    health,
    damages,
    after: (ms: number) => now += ms,
    [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }).catch(() => {}),
  };
}

Deno.test("a read without memory asks to try again, and is not damage", async () => {
  await using test = await fixture();
  const error = await assertRejects(
    () => test.health.read(() => Promise.reject(noMemory())),
    KnowledgeBaseError,
  );
  assertEquals([error.code, test.health.state, test.damages], ["busy", "ok", []]);
});

Deno.test("damage found by a read or a write is reported once, without SQLite's message, and lasts", async () => {
  await using test = await fixture();
  const { health, damages } = test;
  for (let n = 0; n < 2; n++) {
    const error = await assertRejects(() => health.read(() => Promise.reject(damage())), KnowledgeBaseError);
    assertEquals([error.code, error.message.includes("malformed")], ["storage_damaged", false]);
    await assertRejects(() => health.write(() => Promise.reject(damage())), KnowledgeBaseError, "damaged");
  }
  await health.write(() => Promise.resolve());
  test.after(60_000);
  assertEquals([damages.length, await health.check()], [1, "storage_damaged"]);
});

Deno.test("other errors of reads and writes pass through and change nothing", async () => {
  await using test = await fixture();
  await assertRejects(() => test.health.read(() => Promise.reject(new RangeError("x"))), RangeError);
  await assertRejects(() =>
    test.health.write(() => Promise.reject(new KnowledgeBaseError("not_found", "x")))
  );
  assertEquals(test.health.state, "ok");
});

Deno.test("a full disk is reported until a test write succeeds, whatever small writes do", async () => {
  await using test = await fixture();
  const { health } = test;
  const fail = () => assertRejects(() => health.write(() => Promise.reject(full)), KnowledgeBaseError);
  await fail();
  assertEquals(await health.check(), "storage_full");
  await health.write(() => Promise.resolve());
  assertEquals(health.state, "storage_full");
  test.after(1000);
  assertEquals(await health.check(), "ok");
  assertEquals(namesIn(test.dataDir), [], "the test write is removed");
});

Deno.test("a disk that was read-only at the start stays so until the restart", async () => {
  await using test = await fixture({ isReadOnly: true });
  test.after(60_000);
  assertEquals(await test.health.check(), "read_only");
});

Deno.test("a request that quotes the message of a fault is answered, and changes no state", async () => {
  await using engine = await EmbeddedEngine.open();
  const { document_id: id } = await engine.ingest({ text: "healthy" });
  for (const quote of ["disk I/O error", "database disk image is malformed", "database or disk is full"]) {
    const bodies = [
      await engine.call("search", { body: { query: "x", cursor: quote } }),
      await engine.call("search", { body: { query: "x", since: quote } }),
      await engine.call("changeTags", {
        id: Number(id),
        body: { add: [`collection:${quote}`, "collection:b"] },
      }),
    ];
    assertEquals(
      bodies.map(({ status, body }) => [status, body.error.code]),
      bodies.map(() => [400, "invalid"]),
    );
  }
  assertEquals((await engine.call("status")).body.storage.state, "ok");
});

for (const hasWritten of [false, true]) {
  Deno.test({
    name: `a change is refused once the data directory has been moved, ${
      hasWritten ? "after" : "before"
    } the first write`,
    // Windows moves no open file.
    ignore: Deno.build.os === "windows",
    async fn() {
      await using engine = await EmbeddedEngine.open();
      if (hasWritten) await engine.ingest({ text: "Before" });
      await Deno.rename(engine.dataDir, `${engine.dataDir}-moved`);
      const other = await EmbeddedEngine.over(engine.dataDir);
      await using cleanUp = new AsyncDisposableStack();
      cleanUp.defer(() => Deno.remove(`${engine.dataDir}-moved`, { recursive: true }));
      cleanUp.defer(() => other.close());
      const { status, body } = await engine.call("createJob", { body: formOf({ text: "After" }) });
      assertEquals([status, body.error.code], [500, "storage_damaged"]);
      assertEquals((await engine.call("status")).body.storage.state, "storage_damaged");
      assertEquals((await other.call("status")).body.documents.total, 0);
    },
  });
}

Deno.test({
  name: "a store that was put in the place of an open one is not marked as closed completely",
  // Windows moves no open file.
  ignore: Deno.build.os === "windows",
  async fn() {
    await using engine = await EmbeddedEngine.open();
    const { dataDir } = engine;
    const other = await EmbeddedEngine.open();
    await other.ingest({ text: "Other" });
    await other.close();
    await Deno.rename(dataDir, `${dataDir}-moved`);
    await using cleanUp = new AsyncDisposableStack();
    cleanUp.defer(() => Deno.remove(`${dataDir}-moved`, { recursive: true }));
    await Deno.rename(other.dataDir, dataDir);
    // Damaged since it was closed: the next start must check it.
    await Deno.utime(`${dataDir}/kb.db`, 0, 0);
    const marker = await Deno.readTextFile(`${dataDir}/kb.commit`);
    await engine.close();
    assertEquals(await Deno.readTextFile(`${dataDir}/kb.commit`), marker);
  },
});

Deno.test("a removed database is found by the test write", async () => {
  await using test = await fixture({ hasDatabase: true });
  test.after(10_000);
  assertEquals(await test.health.check(), "ok");
  await Deno.remove(`${test.dataDir}/kb.db`);
  test.after(10_000);
  assertEquals([await test.health.check(), test.damages.length], ["storage_damaged", 1]);
});
