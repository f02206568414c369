import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readLocalFile } from "../../src/cli/local_file.ts";
import { RUN_PERMISSIONS } from "../../scripts/permissions.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Maximum time to wait for the end of the program, before it is killed, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Writes the npm package with a dependency that starts the server from its sources. Returns the launcher. */
async function writePackage(folder: string): Promise<string> {
  const dependency = join(folder, "node_modules", "deno");
  await Deno.mkdir(dependency, { recursive: true });
  const launcher = join(folder, "kb-mcp.cjs");
  await Deno.copyFile(join(ROOT, "packaging", "npm", "kb-mcp.cjs"), launcher);
  await Deno.writeTextFile(join(folder, "flags.json"), '{"flags":[]}');
  const deno = join(dependency, "deno");
  const args = ["run", "--no-check", "--config", join(ROOT, "deno.json"), ...RUN_PERMISSIONS];
  const command = [Deno.execPath(), ...args, join(ROOT, "main.ts"), "serve"].map((word) => `'${word}'`);
  await Deno.writeTextFile(deno, `#!/bin/sh\nexec ${command.join(" ")}\n`, { mode: 0o755 });
  await Deno.writeTextFile(
    join(dependency, "install_api.cjs"),
    `exports.runInstall = () => ${JSON.stringify(deno)};\n`,
  );
  return launcher;
}

Deno.test({
  name: "the server stops when its npm launcher is killed",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const folder = await Deno.makeTempDir();
    const dataDir = join(folder, "data");
    const child = new Deno.Command("node", {
      args: [await writePackage(folder), "serve"],
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: folder,
        DENO_DIR: Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? "", ".cache", "deno"),
        KB_DATA_DIR: dataDir,
        KB_MCP_PORT: "0",
        KB_EMBEDDINGS_MODEL: "off",
      },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    // Both end with the last process that writes to them.
    const log = new Response(child.stderr).text();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    for (let output = ""; !output.includes("is ready at ");) output += (await reader.read()).value ?? "";
    const { pid } = readLocalFile(dataDir) ?? {};
    const timer = setTimeout(() => pid !== undefined && Deno.kill(pid, "SIGKILL"), TIMEOUT_MS);
    child.kill("SIGKILL");
    assertEquals((await child.status).signal, "SIGKILL");
    while (!(await reader.read()).done);
    const text = await log;
    clearTimeout(timer);
    await Deno.remove(folder, { recursive: true });
    assertStringIncludes(text, '"event":"shutting down","reason":"the launcher has ended"');
    assertStringIncludes(text, '"event":"stopped"');
    assertEquals(text.includes("KB_MCP_LAUNCHER"), false);
  },
});
