import { assertEquals } from "@std/assert";
import { createLogger } from "../../src/telemetry/mod.ts";

Deno.test("a log line shows the control and invisible characters of a value escaped", () => {
  const lines: string[] = [];
  const log = createLogger("info", (line) => lines.push(line.replace(/^\S+ /, "")));
  log.warn("request failed", { name: "a\n\u001b[31m\u009b31m\u202eb\u{e0041}\u2028é" });
  log.warn("request failed", { error: new Error("x\u202ey") });
  assertEquals(lines, [
    String.raw`WARN  request failed name="a\n\u001b[31m\u{9b}31m\u{202e}b\u{e0041}\u{2028}é"`,
    String.raw`WARN  request failed error="Error: x\u{202e}y"`,
  ]);
});

Deno.test("a log line shows at most 2,000 characters of the message of each error", () => {
  const lines: string[] = [];
  const log = createLogger("info", (line) => lines.push(line.replace(/^\S+ /, "")));
  const cause = new TypeError("b".repeat(1_000_000));
  log.warn("request failed", { error: new Error("a".repeat(2001), { cause }) });
  const [a, b] = ["a".repeat(2000), "b".repeat(2000)];
  assertEquals(lines, [`WARN  request failed error="Error: ${a}… <- TypeError: ${b}…"`]);
});
