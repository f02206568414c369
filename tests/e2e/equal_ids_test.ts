import { assertEquals } from "@std/assert";
import type { Findings } from "./mixed_versions.ts";

/** Only a call that nothing ends takes this long. */
const LIMIT_MS = 120_000;

Deno.test("50 clients × 20 rounds in both protocol versions, all ids 1, a third cancelled: each gets its own answer, nothing is left", async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  const script = new URL("./mixed_versions.ts", import.meta.url).pathname;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--config", config, script, String(seed)],
    signal: AbortSignal.timeout(LIMIT_MS),
  }).output();
  const said = new TextDecoder().decode(stderr);
  assertEquals([success, said], [true, ""], `seed ${seed}`);
  const { own, foreign, cancelled, calls, pending, running, files }: Findings = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  assertEquals([own + cancelled, foreign], [calls, 0], `seed ${seed}`);
  assertEquals(cancelled > calls / 5, true, `seed ${seed}: ${cancelled} of ${calls} cancelled`);
  assertEquals([pending, running], [0, 0], `seed ${seed}`);
  // One descriptor for each call that leaks would be hundreds; the runtime may open one or two of its own at any time.
  if (files) assertEquals(files[1] - files[0] < 5, true, `file descriptors ${files}, seed ${seed}`);
});
