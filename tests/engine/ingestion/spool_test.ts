import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createHash } from "node:crypto";
import { Spool } from "../../../src/engine/ingestion/spool.ts";

async function withSpool(test: (spool: Spool, dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await test(new Spool(dir), dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

function names(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map((entry) => entry.name).sort();
}

Deno.test("Spool: a file is written and hashed while it arrives", () =>
  withSpool(async (spool, dir) => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    const file = await spool.write(ReadableStream.from([bytes.subarray(0, 1), bytes.subarray(1)]));
    assertEquals(file.sizeBytes, 60_000);
    assertEquals(file.sha256, createHash("sha256").update(bytes).digest("hex"));
    assertEquals(names(dir), [file.name]);
    assertEquals(await Deno.readFile(spool.path(file.name)), bytes);
    if (Deno.build.os !== "windows") {
      assertEquals((await Deno.stat(spool.path(file.name))).mode! & 0o777, 0o600);
    }
  }));

Deno.test("Spool: a file whose upload breaks off is removed", () =>
  withSpool(async (spool, dir) => {
    async function* broken() {
      yield await Promise.resolve(new Uint8Array(100));
      throw new Error("gone");
    }
    await assertRejects(() => spool.write(broken()), Error, "gone");
    assertEquals(names(dir), []);
  }));

Deno.test("Spool: removing a missing file succeeds", () =>
  withSpool(async (spool) => {
    await spool.remove(crypto.randomUUID());
  }));

Deno.test("Spool: a sweep removes all files except those to keep", () =>
  withSpool(async (spool, dir) => {
    const files = await Promise.all(
      [1, 2, 3].map((n) => spool.write(ReadableStream.from([new Uint8Array(n)]))),
    );
    assertEquals(await spool.sweep(new Set([files[1]!.name])), 2);
    assertEquals(names(dir), [files[1]!.name]);
  }));

Deno.test("Spool: a name leads to no other directory", () =>
  withSpool((spool) => {
    for (const name of ["../kb.db", "a/b", "..", "/etc/passwd", ""]) {
      assertThrows(() => spool.path(name), TypeError, "file name");
    }
    return Promise.resolve();
  }));
