import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { groupFiles, parseArguments } from "../../scripts/run_tests.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

const SCRIPT = new URL("../../scripts/run_tests.ts", import.meta.url).pathname;

Deno.test("every file is in one group, and a seed repeats groups and order", () => {
  const files = Array.from({ length: 497 }, (_, n) => `${n}_test.ts`);
  const groups = groupFiles(files, 7);
  assertEquals([...new Set(groups.map(({ length }) => length))].sort(), [20, 21]);
  assertEquals(groups.flat().sort(), files.toSorted());
  assertEquals(groupFiles(files.toReversed(), 7), groups);
  assertNotEquals(groupFiles(files, 8), groups);
  assertEquals(groupFiles(["a", "b", "a"], 1).map((group) => group.toSorted()), [["a", "b"]]);
  assertEquals(groupFiles([], 1), []);
});

Deno.test("arguments are paths, a seed, and options of deno test with their values", () => {
  assertEquals(
    parseArguments(["--fail-fast", "tests/a_test.ts", "--shuffle=5", "--filter", "x", "--shuffle"]),
    {
      paths: ["tests/a_test.ts"],
      seed: 5,
      options: ["--fail-fast", "--filter", "x"],
    },
  );
  assertNotEquals(parseArguments([]).seed, parseArguments([]).seed);
});

Deno.test("groups report each failure with its file and line, and succeed only if all files were run", async (t) => {
  await using folder = await temporaryFolder({ "deno.json": "{}" });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-lock", SCRIPT, folder.path, ...args],
      cwd: folder.path,
      env: { NO_COLOR: "1" },
    }).output();
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    return { code, output, summary: /^(?:ok|FAILED) \|.*(?= \()/m.exec(output)?.[0] };
  };
  for (const name of ["a", "b", "below/c", "below/d"]) {
    await folder.write(`${name}_test.ts`, `Deno.test("test ${name}", () => {});\n`);
  }

  await t.step("options reach deno test", async () => {
    const { code, output, summary } = await run("--filter", "test a");
    assertEquals([code, summary], [0, "ok | 1 passed | 0 failed | 3 filtered out"]);
    assertMatch(output, /^4 test files in 2 groups\. To repeat: --shuffle=\d+$/m);
  });

  await t.step("types are not checked, neither of tests nor of the threads that they start", async () => {
    await folder.write("below/d_test.ts", `Deno.test("test d", () => { const _n: number = "text"; });\n`);
    const { code, output, summary } = await run();
    assertEquals([code, summary], [0, "ok | 4 passed | 0 failed"]);
    assertEquals(output.includes("Check "), false);
  });

  await t.step("a test fails", async () => {
    await folder.write(
      "below/d_test.ts",
      `\nDeno.test("test d", () => {\n  throw new Error("broken");\n});\n`,
    );
    const { code, output, summary } = await run();
    assertEquals([code, summary], [1, "FAILED | 3 passed | 1 failed"]);
    assertMatch(output, /test d => \.\/below\/d_test\.ts:2:6/);
    assertMatch(output, /below\/d_test\.ts:3:9/);
  });

  await t.step("a file cannot be loaded", async () => {
    await folder.write("below/d_test.ts", `throw new Error("broken");\n`);
    const { code, output } = await run();
    assertEquals(code, 1);
    assertMatch(output, /below\/d_test\.ts:1:7/);
  });

  await t.step("a file ends the run with success", async () => {
    await folder.write("below/d_test.ts", `Deno.exit(0);\n`);
    const { code, output } = await run();
    assertEquals(code, 1);
    assertMatch(output, /^error: These groups of test files were not run: .*group_\d\.js/m);
  });
});
