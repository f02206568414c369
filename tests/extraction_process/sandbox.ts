/**
 * Runs the extraction process with all permissions granted, as an executable would, and prints their states and
 * the results of some attempts to standard error.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { serveExtraction } from "../../src/extraction_process/worker.ts";

const NAMES = ["read", "write", "net", "env", "run", "sys", "ffi", "import"] as const;

void serveExtraction({ maxRssBytes: 2 ** 40, keepsRead: false });
let states: string[];
do {
  await new Promise((resolve) => setTimeout(resolve, 1));
  states = await Promise.all(NAMES.map(async (name) => (await Deno.permissions.query({ name })).state));
} while (states.includes("granted") && performance.now() < 20_000);

/** Returns the name of the error of an attempt. */
async function attempt(name: string, run: () => unknown): Promise<string> {
  try {
    await run();
    return `${name} succeeded`;
  } catch {
    return `${name} failed`;
  }
}

const port = Number(Deno.args[0]);
const results = [
  await attempt("read", () => readFileSync("/etc/hosts")),
  await attempt("write", () => Deno.writeTextFile("sandbox.txt", "x")),
  await attempt("run", () => new Deno.Command(Deno.execPath(), { args: ["--version"] }).output()),
  await attempt("env", () => Deno.env.toObject()),
  await attempt("connect", () => Deno.connect({ hostname: "127.0.0.1", port })),
  await attempt("node:net", () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    connect(port, "127.0.0.1", resolve).on("error", reject);
    return promise;
  }),
  await attempt("signal", () => Deno.kill(Deno.ppid, "SIGCONT")),
];
Deno.stderr.writeSync(new TextEncoder().encode(results.join("\n")));
Deno.exit(0);
