import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  hashOfKey,
  type KeyCheck,
  KeyFileError,
  KeyRing,
  type KeySource,
  type Scope,
} from "../../src/keys/mod.ts";
import type { Fields } from "../../src/telemetry/mod.ts";

/** A source whose content a test sets, and how often it was read. */
class FakeSource implements KeySource {
  reads = 0;
  /** Keys by name, or why they cannot be read. */
  content: Record<string, { scope: Scope; expires_at?: string }> | Error = {};
  /** While set, the source does not respond. */
  hanging: PromiseWithResolvers<void> | undefined;
  #version = 0;

  set(content: FakeSource["content"]): void {
    this.content = content;
    this.#version++;
  }

  async identify(): Promise<string> {
    await this.hanging?.promise;
    return String(this.#version);
  }

  async read() {
    this.reads++;
    await this.hanging?.promise;
    if (this.content instanceof Error) throw this.content;
    const keys = Object.entries(this.content).map(([name, key]) => ({
      name,
      sha256: hashOfKey(`key-of-${name}`),
      created_at: "2026-03-01T00:00:00.000Z",
      ...key,
    }));
    return { identity: String(this.#version), keys };
  }
}

interface Test {
  readonly ring: KeyRing;
  readonly source: FakeSource;
  readonly lines: [level: string, message: string, fields: Fields | undefined][];
  /** Advances both clocks. */
  advance(ms: number): void;
  /** Ends the waits for the source. */
  endWaits(): void;
  check(name: string): KeyCheck;
}

async function openRing(content: FakeSource["content"]): Promise<Test> {
  const source = new FakeSource();
  source.set(content);
  const lines: Test["lines"] = [];
  let time = Date.parse("2026-03-01T00:00:00Z");
  const waits = new Set<() => void>();
  const log = (level: string) => (message: string, fields?: Fields) =>
    void lines.push([level, message, fields]);
  const ring = await KeyRing.open({
    path: "/keys.json",
    source,
    log: { info: log("info"), warn: log("warn"), error: log("error") },
    now: () => time,
    date: () => time,
    after(_ms, run) {
      waits.add(run);
      return () => waits.delete(run);
    },
  });
  return {
    ring,
    source,
    lines,
    advance: (ms) => {
      time += ms;
    },
    endWaits: () => waits.forEach((run) => run()),
    check: (name) => ring.check(hashOfKey(`key-of-${name}`)),
  };
}

Deno.test("a key of the file is valid with its name and scope; others are not", async () => {
  const { ring, check } = await openRing({ alice: { scope: "add" }, bob: { scope: "read" } });
  const id = hashOfKey("key-of-alice");
  assertEquals(ring.ids, [id, hashOfKey("key-of-bob")]);
  assertEquals(check("alice"), { status: "valid", holder: { id, key: "alice", scope: "add" } });
  assertEquals(check("mallory"), { status: "invalid" });
});

Deno.test("a key is refused from its expiry on, without a change of the file", async () => {
  const at = "2026-03-01T00:00:10.000Z";
  const { check, advance } = await openRing({ alice: { scope: "read", expires_at: at } });
  assertEquals(check("alice").status, "valid");
  advance(9_999);
  assertEquals(check("alice").status, "valid");
  advance(1);
  assertEquals(check("alice"), { status: "expired", at });
});

Deno.test("a changed file is read by the first request after a second, and an unchanged one is not", async () => {
  const { ring, source, check, advance } = await openRing({
    alice: { scope: "write" },
    bob: { scope: "read" },
  });
  source.set({ alice: { scope: "read" }, carol: { scope: "add" } });
  assertEquals(ring.refresh(), undefined);
  advance(1000);
  await ring.refresh();
  const scopes = ["alice", "bob", "carol"].map((name) => {
    const result = check(name);
    return result.status === "valid" ? result.holder.scope : result.status;
  });
  assertEquals(scopes, ["read", "invalid", "add"]);
  assertEquals(ring.refresh(), undefined, "at most once a second");
  advance(1000);
  await ring.refresh();
  assertEquals(source.reads, 2);
});

Deno.test("a damaged file leaves the last keys valid, is logged once, and is replaced by a good one", async () => {
  const { ring, source, lines, check, advance } = await openRing({ alice: { scope: "write" } });
  source.set(new KeyFileError("It must be JSON"));
  for (let i = 0; i < 3; i++) {
    advance(1000);
    await ring.refresh();
  }
  assertEquals(check("alice").status, "valid");
  assertEquals(lines.filter(([level]) => level === "error").map(([, message]) => message), [
    "the keys file cannot be used: its last keys stay valid",
  ]);
  source.set({ bob: { scope: "read" } });
  advance(1000);
  await ring.refresh();
  assertEquals([check("alice").status, check("bob").status], ["invalid", "valid"]);
  assertEquals(lines.at(-1)?.[0], "info");
});

Deno.test("a mount that hangs delays a request only up to a limit, and further ones not at all", async () => {
  const { ring, source, lines, check, advance, endWaits } = await openRing({ alice: { scope: "write" } });
  source.set({});
  source.hanging = Promise.withResolvers<void>();
  advance(1000);
  const first = ring.refresh();
  const second = ring.refresh();
  assert(first && second);
  endWaits();
  await Promise.all([first, second]);
  assertEquals(ring.refresh(), undefined);
  advance(60_000);
  assertEquals(ring.refresh(), undefined, "one check at a time");
  assertEquals(check("alice").status, "valid");
  assertEquals(lines.at(-1)?.[1], "the keys file does not respond: its last keys stay valid");
  source.hanging.resolve();
  source.hanging = undefined;
  // The check of the first request ends, or the next one finds the change.
  for (let i = 0; i < 9 && check("alice").status === "valid"; i++) {
    advance(1000);
    await (ring.refresh() ?? Promise.resolve());
  }
  assertEquals(check("alice").status, "invalid");
});

Deno.test("without keys none is accepted, and the log says what to do", async () => {
  const { ring, lines, check } = await openRing({});
  assertEquals([ring.ids.length, check("alice").status], [0, "invalid"]);
  assertEquals(lines.map(([level, message]) => [level, message]), [
    ["warn", "the keys file has no keys, so none is accepted: run kb-mcp key add NAME"],
  ]);
});

Deno.test("a server does not start without its keys: damaged ones, and a mount that hangs", async () => {
  const log = { info() {}, warn() {}, error() {} };
  const source = new FakeSource();
  source.set(new KeyFileError("It must be JSON"));
  await assertRejects(() => KeyRing.open({ path: "/k", source, log }), KeyFileError, "It must be JSON");
  source.hanging = Promise.withResolvers<void>();
  const after = (_ms: number, run: () => void) => {
    queueMicrotask(run);
    return () => {};
  };
  await assertRejects(() => KeyRing.open({ path: "/k", source, log, after }), KeyFileError, "within 10 s");
  source.hanging.resolve();
});
