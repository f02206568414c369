import { assertEquals } from "@std/assert";
import { LogOutput } from "../../src/telemetry/log_output.ts";
import { createLogger, type Logger, runForRequest } from "../../src/telemetry/mod.ts";

const HOSTILE = 'a\n\u001b[31m\u009b31m\u202eb\u{e0041}\u2028é","level":"error';

/** Registers a test outside of requests: the test runner keeps the request of an earlier test. */
function test(name: string, run: () => void | Promise<void>): void {
  Deno.test(name, () => runForRequest(undefined, run));
}

/** A logger whose lines are kept without their time. */
function recordingLogger(format: "text" | "json"): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line.replace(/\d{4}-\S+Z/, "TIME"));
  return { log: createLogger("info", { format, write }), lines };
}

test("a log line shows the control and invisible characters of a value escaped", () => {
  const { log, lines } = recordingLogger("text");
  log.warn("request failed", { name: HOSTILE });
  log.warn("request failed", { error: new Error("x\u202ey") });
  assertEquals(lines, [
    String
      .raw`TIME WARN  request failed name="a\n\u001b[31m\u{9b}31m\u{202e}b\u{e0041}\u{2028}é\",\"level\":\"error"`,
    String.raw`TIME WARN  request failed error="Error: x\u{202e}y"`,
  ]);
});

test("a JSON log line is one object that no value can forge or divide", () => {
  const { log, lines } = recordingLogger("json");
  log.warn("request failed", { name: HOSTILE, level: "error", time: "never", error: new Error("x\u202ey") });
  assertEquals(
    lines.map((line) => line.replace(/[^\x20-\x7eé]/g, "HIDDEN")),
    lines,
    "hidden characters must be escaped",
  );
  assertEquals(lines.map((line) => JSON.parse(line)), [{
    time: "TIME",
    level: "warn",
    event: "request failed",
    name: HOSTILE,
    level_: "error",
    time_: "never",
    error: "Error: x\u202ey",
  }]);
});

const describeLost = (lines: number) => `${lines} lines lost`;

async function writeTo(output: LogOutput, line: string): Promise<void> {
  output.write(line, describeLost);
  await output.flush();
}

test("lines that the stream does not accept are dropped, and the next one starts on its own line", async () => {
  let [text, free] = ["", 6];
  const output = new LogOutput({
    // deno-lint-ignore require-await
    async write(bytes) {
      if (free === 0) throw new Error("No space left on device (os error 28)");
      const accepted = bytes.subarray(0, Math.min(free, 4));
      text += new TextDecoder().decode(accepted);
      free -= accepted.length;
      return accepted.length;
    },
  });
  await writeTo(output, "started");
  await writeTo(output, "lost");
  free = 100;
  await writeTo(output, "a note was added");
  await writeTo(output, "stopped");
  assertEquals(text, "starte\n2 lines lost\na note was added\nstopped\n");
});

test("the number of dropped lines counts those before a note that was dropped itself", async () => {
  let [text, isFull] = ["", true];
  const output = new LogOutput({
    // deno-lint-ignore require-await
    async write(bytes) {
      if (isFull) throw new Error("No space left on device (os error 28)");
      text += new TextDecoder().decode(bytes);
      return bytes.length;
    },
  });
  for (let n = 0; n < 5; n++) await writeTo(output, "lost");
  isFull = false;
  await writeTo(output, "a note was added");
  assertEquals(text, "5 lines lost\na note was added\n");
});

test("lines wait for a stream that is not read, up to a limit, and no caller waits", async () => {
  let text = "";
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  const output = new LogOutput({
    async write(bytes) {
      await isRead;
      text += new TextDecoder().decode(bytes);
      return bytes.length;
    },
  });
  const line = "x".repeat(999);
  for (let i = 0; i < 3000; i++) output.write(line, describeLost);
  await output.flush(0);
  assertEquals(text, "");
  read();
  await output.flush();
  await writeTo(output, "read again");
  assertEquals(text, `${`${line}\n`.repeat(1001)}1999 lines lost\nread again\n`);
});

test("a log line shows at most 2,000 characters of the message of each error", () => {
  const { log, lines } = recordingLogger("text");
  const cause = new TypeError("b".repeat(1_000_000));
  log.warn("request failed", { error: new Error("a".repeat(2001), { cause }) });
  const [a, b] = ["a".repeat(2000), "b".repeat(2000)];
  assertEquals(lines, [`TIME WARN  request failed error="Error: ${a}… <- TypeError: ${b}…"`]);
});

test("a log line has the id of the request that it belongs to, and no other", async () => {
  const { log, lines } = recordingLogger("text");
  const work = (id: string) =>
    runForRequest({ id }, async () => {
      await new Promise((resolve) => setTimeout(resolve));
      log.info("stored", { n: 1, missing: undefined });
    });
  await Promise.all([work("r1"), work("r2")]);
  log.info("idle");
  log.debug("not logged");
  assertEquals(lines.sort(), [
    "TIME INFO  idle",
    "TIME INFO  stored n=1 request_id=r1",
    "TIME INFO  stored n=1 request_id=r2",
  ]);
});
