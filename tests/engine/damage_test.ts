import { assert, assertEquals } from "@std/assert";
import { ERROR_STATUS } from "../../src/contract/mod.ts";
import { DataDamagedError } from "../../src/engine/mod.ts";
import { EmbeddedEngine, formOf, type ParsedResponse } from "../support/embedded_engine.ts";
import { type Random, seededRandom } from "../support/random.ts";
import { killedStore } from "./sqlite/store/test_store.ts";

const PAGE = 4096;
/** `KB_DAMAGE_SEEDS=500` for a longer run. */
const SEEDS = Number(Deno.env.get("KB_DAMAGE_SEEDS") ?? 4);

Deno.test("whatever is overwritten before the start, it is refused or every request has a documented response", async () => {
  let refused = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seededRandom(seed);
    const dir = await killedStore(8);
    for (const file of ["kb.db", "kb.db-wal"]) {
      if (random.next() < 0.7) overwritePages(`${dir.path}/${file}`, random);
    }
    try {
      await using engine = await EmbeddedEngine.over(dir.path);
      await requestEverything(engine);
    } catch (error) {
      await Deno.remove(dir.path, { recursive: true }).catch(() => {});
      if (!(error instanceof DataDamagedError)) throw new Error(`seed ${seed}`, { cause: error });
      assertEquals(error.message.includes("\n"), false);
      refused++;
    }
  }
  assert(refused > 0, "none was refused");
});

Deno.test("whatever is overwritten while it runs, every request has a documented response", async () => {
  let damaged = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seededRandom(seed);
    const dir = await killedStore(8);
    await using engine = await EmbeddedEngine.over(dir.path);
    await engine.reopen(); // applies the log
    if (random.next() < 0.5) await requestEverything(engine);
    if (random.next() < 0.2) await Deno.truncate(dir.database, random.int(20) * PAGE);
    else overwritePages(dir.database, random);
    const codes = await requestEverything(engine);
    if (codes.has("storage_damaged")) {
      damaged++;
      assertEquals(
        (await engine.call("createJob", { body: formOf({ text: "x" }) })).body.error.code,
        "storage_damaged",
      );
      const { status, body } = await engine.fetch("GET", "/readyz");
      assertEquals([status, body], [503, { status: "storage_damaged" }]);
    }
  }
  assert(damaged > 0);
});

/** Calls every route, and checks that errors have the code and status of the contract. Returns the codes. */
async function requestEverything(engine: EmbeddedEngine): Promise<Set<string>> {
  const codes = new Set<string>();
  const check = ({ status, body }: ParsedResponse) => {
    if (status < 400) return;
    const { code, message } = body.error;
    assertEquals(status, ERROR_STATUS[code as keyof typeof ERROR_STATUS], message);
    assert(!/SELECT|malformed|kb\.db/i.test(message), message);
    codes.add(code);
  };
  check(await engine.call("createJob", { body: formOf({ text: "another note", tags: ["a", "b"] }) }));
  for (const query of ["something", "note 3", '"about something"', "xyz*"]) {
    check(await engine.call("search", { body: { query } }));
  }
  check(await engine.call("listDocuments"));
  check(await engine.call("listJobs"));
  for (let id = 1; id <= 9; id++) {
    check(await engine.call("getDocument", { id }));
    check(await engine.call("getJob", { id }));
  }
  check(await engine.call("changeTags", { id: 2, body: { add: ["c"], remove: [] } }));
  check(await engine.call("updateNote", { id: 3, body: { text: "changed" } }));
  check(await engine.call("deleteDocument", { id: 4 }));
  check(await engine.call("status"));
  return codes;
}

/** Overwrites some pages, or parts of pages, with random bytes or zeros. */
function overwritePages(path: string, random: Random): void {
  const { size } = Deno.statSync(path);
  using file = Deno.openSync(path, { write: true });
  for (let n = 1 + random.int(6); n > 0; n--) {
    const isWhole = random.next() < 0.5;
    const bytes = new Uint8Array(isWhole ? PAGE : 1 + random.int(200));
    if (random.next() < 0.7) { for (let at = 0; at < bytes.length; at++) bytes[at] = random.int(256); }
    const at = isWhole ? random.int(size / PAGE) * PAGE : random.int(size);
    file.seekSync(at, Deno.SeekMode.Start);
    file.writeSync(bytes);
  }
}
