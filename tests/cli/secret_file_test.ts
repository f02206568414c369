import { assertEquals, assertThrows } from "@std/assert";
import { readSecretFile } from "../../src/cli/secret_file.ts";
import { runProgram, startProgram } from "../support/program.ts";

async function temporaryDirectory() {
  const path = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("readSecretFile returns the text of a file", async () => {
  await using dir = await temporaryDirectory();
  await Deno.writeTextFile(`${dir.path}/key`, "s3cret\n");
  assertEquals(readSecretFile(`${dir.path}/key`), "s3cret\n");
  await Deno.writeTextFile(`${dir.path}/large`, "x".repeat(64 * 1024));
  assertEquals(readSecretFile(`${dir.path}/large`).length, 64 * 1024);
});

Deno.test("readSecretFile gives the reason for a file that cannot be used", async () => {
  await using dir = await temporaryDirectory();
  assertThrows(() => readSecretFile(`${dir.path}/missing`), Error, "No such file or directory");
  assertThrows(() => readSecretFile(dir.path), Error, "Is a directory");
  assertThrows(() => readSecretFile(`${dir.path}/a\0b`), Error);
  await Deno.writeTextFile(`${dir.path}/large`, "x".repeat(64 * 1024 + 1));
  assertThrows(() => readSecretFile(`${dir.path}/large`), Error, "It must be at most 65536 bytes");
});

Deno.test({
  name: "readSecretFile stops at its maximum size in a device that never ends",
  ignore: Deno.build.os === "windows",
  fn() {
    assertThrows(() => readSecretFile("/dev/zero"), Error, "It must be at most 65536 bytes");
    assertEquals(readSecretFile("/dev/null"), "");
  },
});

Deno.test("an empty key ends every command that reads settings, with status 64", async () => {
  const commands = [["serve"], ["engine"], ["healthcheck"], ["reindex"]];
  const results = await Promise.all(
    commands.map((args) => runProgram(args, { KB_MCP_API_KEY: "", KB_MCP_HOST: "0.0.0.0" })),
  );
  for (const { code, stderr } of results) {
    assertEquals([code, stderr], [
      64,
      "kb-mcp: KB_MCP_API_KEY must not be empty: set it to the key, or unset it to run without authentication\n",
    ]);
  }
});

Deno.test("weak keys are logged once at the start, without the key", async () => {
  await using dir = await temporaryDirectory();
  const path = `${dir.path}/key`;
  await Deno.writeTextFile(path, "hunter2\n", { mode: 0o644 });
  await Deno.chmod(path, 0o644);
  await using server = await startProgram(["serve"], {
    KB_DATA_DIR: `${dir.path}/data`,
    KB_MCP_API_KEY_FILE: path,
  });
  server.child.kill("SIGTERM");
  const log = await server.stderr;
  assertEquals(log.match(/the key is easy to guess/g)?.length, 1);
  assertEquals(log.match(/other users can read the key file/g)?.length, 1);
  assertEquals(log.includes("hunter2"), false);
});
