import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { executablePermissions, RUN_PERMISSIONS, RUNTIME_FLAGS } from "../../scripts/permissions.ts";
import { EmbeddedEngine } from "../support/embedded_engine.ts";
import { filesBelow, read } from "./repository.ts";

interface Task {
  readonly description?: string;
  readonly command: string;
}

async function tasks(): Promise<Record<string, Task>> {
  return JSON.parse(await read("deno.json")).tasks;
}

Deno.test("deno task start, dev and engine use the permissions of a run with Deno", async () => {
  const { start, dev, engine } = await tasks();
  for (const task of [start, dev, engine]) {
    assertStringIncludes(task?.command ?? "", ` ${RUN_PERMISSIONS.join(" ")} main.ts `);
  }
});

Deno.test("deno task start, dev and engine use the runtime flags of the executable", async () => {
  const { unstable, tasks: { start, dev, engine } } = JSON.parse(await read("deno.json"));
  for (const flag of RUNTIME_FLAGS) {
    const isConfigured = unstable.some((name: string) => flag === `--unstable-${name}`);
    for (const { command } of [start, dev, engine]) {
      assert(isConfigured || command.includes(` ${flag} `), flag);
    }
  }
});

Deno.test("deno task start, dev, engine, bundle and compile refuse dependencies that are not in the lock file", async () => {
  const { start, dev, engine, bundle, compile } = await tasks();
  for (const task of [start, dev, engine, bundle, compile]) {
    const runs = (task?.command ?? "").match(/deno run .*?(?= & |$)/g) ?? [];
    assert(runs.length > 0);
    for (const run of runs) assertMatch(run, /^deno run --frozen /);
  }
});

Deno.test("an executable for Linux may start itself only", () => {
  const run = (target: string) =>
    executablePermissions(target).filter((flag) => flag.startsWith("--allow-run"));
  assertEquals(run("aarch64-unknown-linux-gnu"), ["--allow-run=/proc/self/exe"]);
  assertEquals(run("aarch64-apple-darwin"), ["--allow-run"]);
  assertEquals(
    executablePermissions("x86_64-unknown-linux-gnu").slice(0, -1),
    RUN_PERMISSIONS.slice(0, -1),
  );
});

Deno.test("the executable of the image may write to its volume and the temporary directory only", async () => {
  const dockerfile = await read("Dockerfile");
  const writable = /--writable (\S+);/.exec(dockerfile)?.[1] ?? "";
  assertEquals(writable, "/data,/tmp");
  const flags = executablePermissions("x86_64-unknown-linux-gnu", { writable });
  assertEquals(flags.filter((flag) => flag.startsWith("--allow-write")), ["--allow-write=/data,/tmp"]);
  assertStringIncludes(dockerfile, "KB_DATA_DIR=/data");
});

Deno.test("the executable may read exactly the environment variables that the sources name", async () => {
  const allowed =
    RUN_PERMISSIONS.find((flag) => flag.startsWith("--allow-env="))?.slice("--allow-env=".length).split(
      ",",
    ) ??
      [];
  const named = new Set<string>();
  for (const path of (await filesBelow("src")).filter((path) => path.endsWith(".ts"))) {
    for (const [, name = ""] of (await read(path)).matchAll(/\benv(?:\.get)?\(\s*"(\w+)"\s*\)/g)) {
      named.add(name);
    }
  }
  assert(named.size > 0);
  const outsideKb = [...named].filter((name) => !name.startsWith("KB_"));
  assertEquals(outsideKb.sort(), allowed.filter((name) => name !== "KB_*").sort());
});

Deno.test("every task has a description", async () => {
  const all = await tasks();
  assertEquals(Object.entries(all).filter(([, { description }]) => !description).map(([name]) => name), []);
  for (const name of ["start", "dev", "engine", "demo", "test", "ok", "bench", "bundle", "compile"]) {
    assert(name in all, `deno.json must have the task ${name}`);
  }
});

Deno.test("backup and repair need no other permissions than the server", async () => {
  await using engine = await EmbeddedEngine.open();
  await engine.ingest({ text: "A heron." });
  await engine.close();
  const run = async (...args: string[]) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", ...RUN_PERMISSIONS, "main.ts", ...args],
      env: { KB_DATA_DIR: engine.dataDir },
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""], args.join(" "));
  };
  await run("backup", `${engine.dataDir}/backup.db`);
  await run("repair");
});
