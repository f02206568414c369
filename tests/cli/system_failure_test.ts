import { assertEquals } from "@std/assert";
import { systemFailure } from "../../src/cli/system_failure.ts";
import { runProgram } from "../support/program.ts";
import { runCommand } from "./run_command.ts";

/** An error as Deno throws it for a folder of another user; tests may run as root, who gets none. */
function denied(): Error {
  const message = "Permission denied (os error 13): readdir '/data/models'";
  return Object.assign(new Deno.errors.PermissionDenied(message), { code: "EACCES" });
}

Deno.test("a command that the system refuses a folder ends with one line that names it", async () => {
  const print = () => {
    throw denied();
  };
  assertEquals(await runCommand(["version"], {}, { print }), {
    code: 64,
    stdout: "",
    stderr:
      "kb-mcp: Cannot continue: Permission denied (readdir '/data/models'): check that this user may use it\n",
  });
});

Deno.test({
  name: "an error of a full disk says so and has status 1, since a restart may help",
  ignore: Deno.build.os !== "linux",
  fn() {
    using file = Deno.openSync("/dev/full", { write: true });
    let failure;
    try {
      file.writeSync(new Uint8Array(1));
    } catch (error) {
      failure = systemFailure(error);
    }
    assertEquals(
      [failure?.status, failure?.message],
      [1, "Cannot continue: No space left on device: free some space"],
    );
  },
});

Deno.test("an error that shows a fault of the program keeps its stack", () => {
  assertEquals(systemFailure(new TypeError("x is not a function")), undefined);
  assertEquals(systemFailure(Object.assign(new Error("gone"), { code: "ENOENT" })), undefined);
  assertEquals(systemFailure(Object.assign(new Error("x"), { code: "toString" })), undefined);
});

Deno.test({
  name: "a server without a temporary directory ends with one line that names the variable",
  ignore: Deno.build.os === "windows",
  async fn() {
    const dataDir = await Deno.makeTempDir();
    await using cleanUp = new AsyncDisposableStack();
    cleanUp.defer(() => Deno.remove(dataDir, { recursive: true }));
    assertEquals(await runProgram(["serve"], { KB_DATA_DIR: dataDir, TMPDIR: `${dataDir}/missing` }), {
      code: 64,
      stdout: "",
      stderr: "kb-mcp: Cannot create a directory for uploads (No such file or directory): " +
        "set TMPDIR to a writable directory\n",
    });
  },
});
