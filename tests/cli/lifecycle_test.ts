import { assertEquals, assertMatch } from "@std/assert";
import { programCommand, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

/** Adds a note through the engine's API. Returns the status of the response. */
async function addNote(url: string, text: string): Promise<number> {
  const body = new FormData();
  body.set("text", text);
  const response = await fetch(`${url}/api/v1/jobs`, { method: "POST", body });
  await response.body?.cancel();
  return response.status;
}

/** Starts an engine that writes much to its log. */
function startEngine(dataDir: string): Deno.ChildProcess {
  return programCommand(["engine"], { KB_DATA_DIR: dataDir, KB_LOG_LEVEL: "debug" }).spawn();
}

/** Returns the address that a server prints, and closes its output. */
async function readUrl({ stdout }: Deno.ChildProcess): Promise<string> {
  const reader = stdout.pipeThrough(new TextDecoderStream()).getReader();
  const [url = ""] = /http:\S+/.exec((await reader.read()).value ?? "") ?? [];
  await reader.cancel();
  return url;
}

Deno.test("a server continues when the programs that read its output have ended", async () => {
  await using folder = await temporaryFolder();
  await using child = startEngine(folder.path);
  const url = await readUrl(child);
  await child.stderr.cancel();

  assertEquals([await addNote(url, "one"), await addNote(url, "two")], [202, 202]);
  child.kill("SIGTERM");
  assertEquals((await child.status).code, 0);
});

Deno.test("a server responds and stops while the program at the other end of its log does not read", async () => {
  await using folder = await temporaryFolder();
  await using child = startEngine(folder.path);
  const url = await readUrl(child);
  // Over 200 bytes of log each: more than a pipe and the buffers of this process hold.
  for (let i = 0; i < 1500; i++) {
    await (await fetch(`${url}/api/v1/documents?limit=${i % 9 + 1}`)).body?.cancel();
  }
  child.kill("SIGTERM");
  assertEquals((await child.status).code, 0);
  await child.stderr.cancel();
});

Deno.test({
  name: "a server starts when its output goes to a full disk",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await temporaryFolder();
    const command =
      `"$0" run -A --no-check main.ts engine --port 0 --data-dir "$1" >/dev/full & echo $!; wait $!`;
    await using child = new Deno.Command("sh", {
      args: ["-c", command, Deno.execPath(), folder.path],
      env: { KB_EMBEDDINGS_MODEL: "off", KB_LOG_FORMAT: "text" },
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const out = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const pid = Number((await out.read()).value);
    const log = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("serving the engine")) {
      const { value, done } = await log.read();
      if (done) break;
      text += value;
    }
    Deno.kill(pid, "SIGTERM");
    await Promise.all([log.cancel(), out.cancel()]);
    assertMatch(text, /failed to print that the server is ready error=.*No space left on device/);
    assertEquals((await child.status).code, 0);
  },
});

Deno.test({
  name: "a server whose output goes to no terminal survives SIGHUP, and each server SIGXFSZ",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await temporaryFolder();
    await using program = await startProgram(["engine"], { KB_DATA_DIR: folder.path });
    program.child.kill("SIGHUP");
    assertEquals(await addNote(program.url, "after the terminal was closed"), 202);
    // As a write beyond `ulimit -f`.
    program.child.kill("SIGXFSZ");
    assertEquals(await addNote(program.url, "after a write beyond the limit"), 202);
    program.child.kill("SIGTERM");
    assertEquals((await program.child.status).code, 0);
    assertMatch(await program.stderr, /"shutting down","signal":"SIGTERM"/);
  },
});

Deno.test({
  name: "closing the terminal that shows a server's output stops it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await temporaryFolder();
    const command =
      `"${Deno.execPath()}" run -A --no-check main.ts engine --port 0 --data-dir "${folder.path}"`;
    await using terminal = new Deno.Command("script", {
      args: ["--quiet", "--return", "--command", `echo $$; exec ${command}`, "/dev/null"],
      env: { KB_EMBEDDINGS_MODEL: "off" },
      stdin: "null",
      stdout: "piped",
    }).spawn();
    let text = "";
    for await (const part of terminal.stdout.pipeThrough(new TextDecoderStream())) {
      const isReady = text.includes("is ready at");
      text += part;
      if (!isReady && text.includes("is ready at")) Deno.kill(parseInt(text), "SIGHUP");
    }
    assertMatch(text, /shutting down signal=SIGHUP/);
    assertEquals((await terminal.status).code, 0);
  },
});
