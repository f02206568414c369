import { assert, assertEquals, assertRejects } from "@std/assert";
import { BodyParser } from "../../src/web/mod.ts";

const large = (byte: number) => new Uint8Array(100_000).fill(byte);

Deno.test("a small body is parsed at once", () => {
  assertEquals(new BodyParser().parse(new Uint8Array(10), (bytes) => bytes.length), 10);
});

Deno.test("large bodies are parsed in order, with turns for other work in between", async () => {
  const parser = new BodyParser();
  const events: string[] = [];
  const parsing = [1, 2, 3].map((byte) =>
    parser.parse(large(byte), ([first]) => {
      events.push(`large ${first}`);
      for (const end = performance.now() + 5; performance.now() < end;);
      setTimeout(() => events.push("other"));
    })
  );
  await Promise.all(parsing);
  assertEquals(events, ["large 1", "other", "large 2", "other", "large 3"]);
  await new Promise((resolve) => setTimeout(resolve));
});

Deno.test("a large body that cannot be parsed does not stop the next, and both are freed", async () => {
  const parser = new BodyParser();
  const bodies = [large(1), large(2)];
  const failed = assertRejects(
    async () =>
      await parser.parse(bodies[0]!, () => {
        throw new Error("invalid");
      }),
    Error,
    "invalid",
  );
  assertEquals(await parser.parse(bodies[1]!, (bytes) => bytes.length), 100_000);
  await failed;
  assert(bodies.every(({ buffer }) => buffer.detached));
});
