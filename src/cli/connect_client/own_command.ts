import { fileURLToPath } from "node:url";

/** Returns the command line with which another program starts `kb-mcp stdio`, however this program is installed. */
export function stdioCommandLine(
  { isStandalone, execPath, module }: { isStandalone: boolean; execPath: string; module: string } = {
    isStandalone: Deno.build.standalone,
    execPath: Deno.execPath(),
    module: import.meta.url,
  },
): readonly string[] {
  if (isStandalone) return [execPath, "stdio"];
  // The bundle is part of the npm package, whose folder changes with each version.
  if (!module.endsWith(".ts")) return ["npx", "-y", "kb-mcp", "stdio"];
  const root = new URL("../../../", module);
  const path = (name: string) => fileURLToPath(new URL(name, root));
  return [execPath, "run", "--config", path("deno.json"), "-A", path("main.ts"), "stdio"];
}
