/**
 * `deno task day`: plays an agent's whole day with the official MCP client, and prints calls and tokens per task.
 *
 * @module
 */
import { createLogger } from "../src/telemetry/mod.ts";
import { playDayAt } from "../tests/scenarios/day_server.ts";
import { print } from "./print.ts";

for (const placement of ["embedded", "over HTTP"] as const) {
  print(`\nEngine ${placement}:\n`);
  print("| Task | Calls | Tokens | Before contract 3.3 |\n| --- | --- | --- | --- |");
  for (const { task, calls, tokens, before } of await playDayAt(placement, createLogger("warn"))) {
    print(`| ${task} | ${calls} | ${tokens} | ${before} |`);
  }
}
