/**
 * A system clock that is set back while the program runs.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { runCommand } from "../../scripts/run_command.ts";
import { type Check, SkippedError } from "./attack.ts";
import { callToolOk, requestHead } from "./requests.ts";

const YEAR_SECONDS = 365 * 24 * 60 * 60;

const setBack: Check = {
  name: "clock-set-back",
  async run(attack) {
    const directory = await attack.directory();
    const library = `${directory}/shifted_clock.so`;
    const source = fileURLToPath(new URL("./shifted_clock.c", import.meta.url));
    const { code, output } = await runCommand(["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"])
      .catch((error) => ({ code: 1, output: String(error) }));
    if (code !== 0) {
      throw new SkippedError(`the clock is shifted by a library in C, which needs gcc: ${output}`);
    }
    const shift = `${directory}/shift`;
    const server = await attack.serve({
      env: { KB_MCP_BODY_TIMEOUT: "2s" },
      wrapper: ["env", `LD_PRELOAD=${library}`, `SHIFTED_CLOCK=${shift}`],
    });
    const pending = await attack.connect(server);
    await pending.send(requestHead({ path: "/mcp", length: 100 }) + "{");
    const silent = await attack.connect(server);
    await Deno.writeTextFile(shift, String(-YEAR_SECONDS));

    const started = performance.now();
    const { status } = await pending.response(15_000);
    if (status !== 408) throw new Error(`half a body expected status 408, got ${status}`);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    if (!await silent.isClosedWithin(30_000)) throw new Error("a silent connection stays open");

    const note = await callToolOk(server, "kb_addnote", { text: "A note of last year" });
    const { server: info } = await callToolOk(server, "kb_status", {}) as {
      server: { uptime_seconds: number };
    };
    if (!(info.uptime_seconds >= 0)) {
      throw new Error(`the uptime must not be negative, got ${info.uptime_seconds}`);
    }
    const document = await callToolOk(server, "kb_get", { document_id: note["document_id"] });
    const created = String(document["created_at"]);
    if (!(Date.parse(created) < Date.now() - YEAR_SECONDS * 500)) {
      throw new SkippedError(`the program did not see the shifted clock, created_at is ${created}`);
    }
    return `408 after ${seconds} s, uptime ${info.uptime_seconds} s, created_at ${created}`;
  },
};

/** Attacks on time. */
export const clock: readonly Check[] = [setBack];
