import { assert, assertEquals, assertMatch } from "@std/assert";
import { LAUNCHER_FLAGS, packageJson, readProject } from "../../scripts/npm_package.ts";
import { RUN_PERMISSIONS } from "../../scripts/permissions.ts";
import { VERSION } from "../../src/version.ts";
import { read } from "../packaging/repository.ts";

Deno.test("the npm package depends on the Deno of .dvmrc alone, and belongs to the entry of the MCP registry", async () => {
  const { version, dependencies, mcpName, bin, files } = packageJson(await readProject(), "1.2.3") as {
    version: string;
    dependencies: unknown;
    mcpName: string;
    bin: Record<string, string>;
    files: string[];
  };
  const server = JSON.parse(await read("server.json"));
  assertEquals([version, dependencies, mcpName], [VERSION, { deno: "1.2.3" }, server.name]);
  assert(files.includes(bin["kb-mcp"] ?? ""));
});

Deno.test("server.json names this version and a description that the registry accepts", async () => {
  const server = JSON.parse(await read("server.json"));
  const versions = [server, ...server.packages].map(({ version }: { version: string }) => version);
  assertEquals([...new Set(versions)], [VERSION]);
  assertMatch(server.description, /^.{1,100}$/);
});

Deno.test("the npm package runs with the permissions of every run with Deno, and downloads no code", () => {
  for (const permission of RUN_PERMISSIONS) assert(LAUNCHER_FLAGS.includes(permission), permission);
  for (const flag of ["--no-config", "--no-lock", "--no-remote", "--cached-only"]) {
    assert(LAUNCHER_FLAGS.includes(flag), flag);
  }
});
