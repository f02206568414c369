import { assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { homebrewFormula } from "../../scripts/homebrew_formula.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary_folder.ts";
import { read } from "./repository.ts";

const SCRIPT = fileURLToPath(new URL("../../packaging/install.sh", import.meta.url));
const PROGRAM = "#!/bin/sh\necho kb-mcp 9.9.9\n";
const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
];

async function sha256(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
}

/** Serves made-up releases, `latest` and `v9.9.9`. */
async function serveReleases(): Promise<Deno.HttpServer<Deno.NetAddr>> {
  const sum = await sha256(PROGRAM);
  const sums = TARGETS.map((target) => `${sum}  kb-mcp-${target}\n`).join("");
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const [, kind, version, file = ""] = new URL(url).pathname.split("/");
    if (kind === "latest" && version === "download" && file === "SHA256SUMS") return new Response(sums);
    if (kind === "latest" && file.startsWith("kb-mcp-")) return new Response(PROGRAM);
    const isTampered = kind === "download" && version === "v9.9.9";
    if (isTampered && file === "SHA256SUMS") return new Response(sums);
    if (isTampered && file.startsWith("kb-mcp-")) return new Response(`${PROGRAM}# tampered\n`);
    return new Response("not found", { status: 404 });
  });
}

async function install(home: TemporaryFolder, releases: string, args: readonly string[] = []) {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: [SCRIPT, ...args],
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: home.path, KB_MCP_RELEASES: releases },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("install.sh installs the latest release, replaces it, and leaves nothing behind", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using server = await serveReleases();
  await using home = await temporaryFolder({ "other bin/kb-mcp": "old" });
  const releases = `http://127.0.0.1:${server.addr.port}`;
  const { code, stdout, stderr } = await install(home, releases);
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, `Add ${home.path}/.local/bin to PATH`);
  const output = await new Deno.Command(`${home.path}/.local/bin/kb-mcp`).output();
  assertEquals(new TextDecoder().decode(output.stdout), "kb-mcp 9.9.9\n");

  assertEquals((await install(home, releases, ["--dir", `${home.path}/other bin`])).code, 0);
  assertEquals(await Deno.readTextFile(`${home.path}/other bin/kb-mcp`), PROGRAM);
  assertEquals((await Array.fromAsync(Deno.readDir(`${home.path}/other bin`))).length, 1);
});

Deno.test("install.sh keeps the installed program when a download is wrong or missing", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using server = await serveReleases();
  await using home = await temporaryFolder({ ".local/bin/kb-mcp": "old" });
  const releases = `http://127.0.0.1:${server.addr.port}`;
  for (
    const [args, problem] of [
      [["--version", "9.9.9"], "the SHA-256 of kb-mcp-"],
      [["--version", "v1.0.0"], "cannot download"],
      [["--unknown"], "Usage: install.sh"],
    ] as const
  ) {
    const { code, stderr } = await install(home, releases, args);
    assertEquals(code === 0, false);
    assertStringIncludes(stderr, problem);
    assertEquals(await Array.fromAsync(Deno.readDir(`${home.path}/.local/bin`), ({ name }) => name), [
      "kb-mcp",
    ]);
    assertEquals(await Deno.readTextFile(`${home.path}/.local/bin/kb-mcp`), "old");
  }
});

Deno.test("the Homebrew formula has the checksums of the release", async () => {
  const template = await read("packaging/homebrew/kb-mcp.rb.template");
  const sums = TARGETS.map((target, index) => `${`${index}`.repeat(64)}  kb-mcp-${target}\n`);
  const repository = "https://github.com/o/r";
  const formula = homebrewFormula(template, { checksums: sums.join(""), version: "9.9.9", repository });
  for (const [index, target] of TARGETS.entries()) {
    assertStringIncludes(
      formula,
      `url "${repository}/releases/download/v9.9.9/kb-mcp-${target}"\n      sha256 "${
        `${index}`.repeat(64)
      }"`,
    );
  }
  assertEquals(/@\w+/.exec(formula), null);
  assertStringIncludes(formula, '"kb-mcp #{version}"');
  let problem = "";
  try {
    homebrewFormula(template, { checksums: sums.slice(1).join(""), version: "9.9.9", repository });
  } catch (error) {
    problem = (error as Error).message;
  }
  assertEquals(problem, `SHA256SUMS must contain kb-mcp-${TARGETS[0]}`);
});

Deno.test("install.sh and the formula name targets that a release has, and its repository", async () => {
  const { repository } = JSON.parse(await read("server.json"));
  const script = await read("packaging/install.sh");
  assertStringIncludes(script, `\${KB_MCP_RELEASES:-${repository.url}/releases}`);
  const compile = await read("scripts/compile.ts");
  for (const target of TARGETS) assertStringIncludes(compile, `"${target}"`);
  const workflow = await read(".github/workflows/release.yml");
  for (const file of ["packaging/install.sh", "SHA256SUMS", "scripts/homebrew_formula.ts"]) {
    assertStringIncludes(workflow, file);
  }
});
