import { assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { extractionCommand } from "../../src/extraction_process/mod.ts";
import { denoDir } from "../support/product.ts";

Deno.test("extractionCommand starts this program from its sources, with a heap limit and without secrets", async () => {
  const { program, args, env } = await extractionCommand({ maxMemoryBytes: 2 ** 30 });
  if (Deno.build.os === "linux") assertEquals(program, "/proc/self/exe");
  assertEquals(args.slice(-3), [import.meta.resolve("../../main.ts"), "extract-worker", "1073741824"]);
  assertStringIncludes(
    args.join(" "),
    "--no-prompt --cached-only --ignore-env --v8-flags=--max-old-space-size=768,--max-semi-space-size=4",
  );
  const allowed = ["HOME", "DENO_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "NPM_CONFIG_REGISTRY", "SystemRoot"];
  const names = Object.keys(env).filter((name) => !name.startsWith("MALLOC_"));
  assertEquals(names.filter((name) => !allowed.includes(name)), []);
});

Deno.test({
  name: "extractionCommand makes the process return freed memory to the operating system",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { env } = await extractionCommand({ maxMemoryBytes: 2 ** 30 });
    // With a threshold of its own, glibc does not raise it to the size of freed buffers.
    assertEquals(env["MALLOC_MMAP_THRESHOLD_"], "131072");
    assertEquals(env["MALLOC_ARENA_MAX"], "2");
  },
});

Deno.test("kb-mcp refuses to start without the permission to start itself", async () => {
  const directory = await Deno.makeTempDir();
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-prompt", "--ignore-env", "--allow-env=KB_*", "--allow-net", "--allow-read"],
      ...["--allow-write", fileURLToPath(import.meta.resolve("../../main.ts")), "engine"],
    ],
    clearEnv: true,
    env: { DENO_DIR: await denoDir(), KB_DATA_DIR: directory, KB_ENGINE_PORT: "0", NO_COLOR: "1" },
  }).output();
  assertStringIncludes(new TextDecoder().decode(stderr), "must be permitted to start itself");
  assertEquals(code, 64);
  await Deno.remove(directory, { recursive: true });
});
