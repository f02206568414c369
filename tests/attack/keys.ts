/**
 * Keys that protect nothing, and guesses of the right one.
 *
 * @module
 */
import { type Check, TOKEN } from "./attack.ts";
import { MemoryWatch, residentMiB } from "./process_tree.ts";
import { exchange, PING, requestHead } from "./requests.ts";

/** EX_USAGE of sysexits.h: a setting cannot be used. */
const EX_USAGE = 64;

const empty: Check = {
  name: "empty-keys",
  async run(attack) {
    const directory = await attack.directory();
    const files = { "no bytes": "", "a line feed": "\n", "white space": " \t\r\n" };
    const cases = [
      ...["", " ", "\t \n"].flatMap((key) => [
        { role: "serve" as const, env: { KB_MCP_API_KEY: key } },
        { role: "engine" as const, env: { KB_API_KEY: key } },
      ]),
      ...await Promise.all(
        Object.entries(files).flatMap(([name, content]) =>
          (["serve", "engine"] as const).map(async (role) => {
            const path = `${directory}/${role} ${name}`;
            await Deno.writeTextFile(path, content, { mode: 0o600 });
            return role === "serve"
              ? { role, env: { KB_MCP_API_KEY: undefined, KB_MCP_API_KEY_FILE: path } }
              : { role, env: { KB_API_KEY_FILE: path } };
          })
        ),
      ),
    ];
    for (const { role, env } of cases) {
      const describe = `${role} with ${JSON.stringify(env)}`;
      const { code, output } = await attack.refusedStart(role, { env }).catch((error) => {
        throw new Error(`${describe}: ${error.message}`);
      });
      if (code !== EX_USAGE) {
        throw new Error(`${describe} expected status ${EX_USAGE}, got ${code}: ${output}`);
      }
      const name = role === "serve" ? "KB_MCP_API_KEY" : "KB_API_KEY";
      if (!output.includes(name)) throw new Error(`${describe} must name ${name}, got ${output}`);
    }
    return `${cases.length} starts refused with status ${EX_USAGE}`;
  },
};

const weak: Check = {
  name: "weak-keys",
  async run(attack) {
    const warnings: string[] = [];
    for (
      const [env, pattern] of [
        [{ KB_MCP_API_KEY: "short-key" }, /warn.*\b16\b/i],
        [{ KB_MCP_API_KEY: undefined, KB_MCP_HOST: "0.0.0.0" }, /warn.*authentication/i],
      ] as const
    ) {
      const server = await attack.serve({ env });
      const line = server.output.split("\n").find((line) => pattern.test(line));
      if (line === undefined) {
        throw new Error(`${JSON.stringify(env)} must log a warning, got ${server.output}`);
      }
      warnings.push(line.trim());
    }
    return `${warnings.length} warnings`;
  },
};

const guesses: Check = {
  name: "wrong-tokens",
  async run(attack) {
    const server = await attack.serve();
    const count = attack.long ? 100_000 : 3000;
    const idleMiB = await residentMiB(server.pid);
    await using watch = new MemoryWatch(server.pid);
    const statuses = new Map<number, number>();
    let hasRetryAfter = true;
    await Promise.all(Array.from({ length: 20 }, async (_, sender) => {
      for (let i = sender; i < count; i += 20) {
        const request = PING.replace(TOKEN, `${TOKEN.slice(0, -6)}${String(i).padStart(6, "0")}`);
        const { status, headers } = await exchange(server, request);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 429) hasRetryAfter &&= /^[1-9]\d*$/.test(headers.get("retry-after") ?? "");
        if (i % 500 !== 0) continue;
        const right = await exchange(server, PING);
        if (right.status !== 200) throw new Error(`the right key expected status 200, got ${right.status}`);
      }
    }));
    const figures = `${[...statuses].map(([status, n]) => `${n} × ${status}`).join(", ")}, RSS ${
      idleMiB.toFixed(0)
    } → ${watch.peakMiB.toFixed(0)} MiB`;
    if ((statuses.get(401) ?? 0) > 500) {
      throw new Error(`most wrong tokens must be answered with 429, got ${figures}`);
    }
    if (!hasRetryAfter) throw new Error("every 429 must have a Retry-After header");
    if (watch.peakMiB > 250) throw new Error(`RSS must stay below 250 MiB: ${figures}`);
    return figures;
  },
};

const without: Check = {
  name: "paths-without-token",
  async run(attack) {
    const server = await attack.serve();
    const statuses: string[] = [];
    for (
      const [path, expected] of [["/healthz", 200], ["/readyz", 200], ["/version", 200], [
        "/mcp",
        401,
      ]] as const
    ) {
      const method = path === "/mcp" ? "POST" : "GET";
      const { status } = await exchange(server, requestHead({ method, path, token: null, length: 0 }));
      if (status !== expected) throw new Error(`${path} expected status ${expected}, got ${status}`);
      statuses.push(`${path} ${status}`);
    }
    return statuses.join(", ");
  },
};

/** Attacks on authentication. */
export const keys: readonly Check[] = [empty, weak, guesses, without];
