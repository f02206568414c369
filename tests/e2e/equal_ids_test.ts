import { assertEquals } from "@std/assert";
import type { RunResult } from "./mixed_versions.ts";

/** Time limit of the run, in milliseconds. Only a call that never ends exceeds it. */
const TIMEOUT_MS = 120_000;

Deno.test("50 clients of both protocol versions that share one request id get their own responses, and nothing leaks", async () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  const script = new URL("./mixed_versions.ts", import.meta.url).pathname;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--config", config, script, String(seed)],
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).output();
  const errors = new TextDecoder().decode(stderr);
  assertEquals([success, errors], [true, ""], `seed ${seed}`);
  const { own, foreign, cancelled, calls, pending, running, files }: RunResult = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  assertEquals([own + cancelled, foreign], [calls, 0], `seed ${seed}`);
  assertEquals(cancelled > calls / 5, true, `seed ${seed}: ${cancelled} of ${calls} cancelled`);
  assertEquals([pending, running], [0, 0], `seed ${seed}`);
  // A leak of one descriptor per call would be hundreds. The runtime itself may open one or two at any time.
  if (files) assertEquals(files[1] - files[0] < 5, true, `file descriptors ${files}, seed ${seed}`);
});
