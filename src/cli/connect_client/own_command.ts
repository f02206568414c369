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
  if (!module.endsWith(".ts")) return packageCommandLine(module);
  const root = new URL("../../../", module);
  const path = (name: string) => fileURLToPath(new URL(name, root));
  return [execPath, "run", "--config", path("deno.json"), "-A", path("main.ts"), "stdio"];
}

/** An installed npm package, whose folder remains: not the cache of `npx` or `bunx`, and not a store with a folder per version. */
const INSTALLED =
  /^(?!.*\/(?:_npx|bunx-[^/]*|\.pnpm|\.yarn|dlx-[^/]*)\/)(.*\/node_modules\/kb-mcp\/)program\/[^/]+$/;

/**
 * The bundle is part of the npm package. An installed one is started where it is: `npx` would download the latest
 * version, or find none if the package was built from the sources.
 */
function packageCommandLine(module: string): readonly string[] {
  const folder = INSTALLED.exec(module)?.[1];
  return folder === undefined
    ? ["npx", "-y", "kb-mcp", "stdio"]
    : ["node", fileURLToPath(`${folder}kb-mcp.cjs`), "stdio"];
}
