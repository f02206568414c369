/**
 * What the program shows to others: files, error texts, its version.
 *
 * @module
 */
import type { Check } from "./attack.ts";
import { storeNotes } from "./engine_requests.ts";
import { exchange, mcpRequest, requestHead } from "./requests.ts";

/** Returns the files below a directory that others than their owner can access, with their modes. */
async function openToOthers(directory: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    const mode = (await Deno.stat(path)).mode ?? 0;
    if ((mode & 0o077) !== 0) found.push(`${name} ${(mode & 0o777).toString(8)}`);
    if (isDirectory) found.push(...await openToOthers(path));
  }
  return found;
}

const files: Check = {
  name: "file-permissions",
  async run(attack) {
    const data = `${await attack.directory()}/data`;
    // A directory that its owner made, and files of an earlier version.
    await Deno.mkdir(data, { mode: 0o755 });
    await Deno.chmod(data, 0o755);
    // As under a supervisor with an open umask.
    const wrapper = ["sh", "-c", 'umask 0; exec "$@"', "kb-mcp"];
    const first = await attack.engine({ data, wrapper });
    await storeNotes(first, 3);
    const running = await openToOthers(data);
    if (running.length > 0) throw new Error(`files must have mode 600, got ${running.join(", ")}`);
    await first.terminate();
    for await (const { name } of Deno.readDir(data)) await Deno.chmod(`${data}/${name}`, 0o755);
    const second = await attack.engine({ data, wrapper });
    await storeNotes(second, 3, "later");
    const repaired = await openToOthers(data);
    if (repaired.length > 0) throw new Error(`files of an earlier version: ${repaired.join(", ")}`);
    return "0600 and 0700, also for existing files, with umask 0";
  },
};

const keyFile: Check = {
  name: "key-file-permissions",
  async run(attack) {
    const path = `${await attack.directory()}/key`;
    await Deno.writeTextFile(path, "a-key-that-others-can-read-0123456789\n");
    await Deno.chmod(path, 0o644);
    const server = await attack.serve({ env: { KB_MCP_API_KEY: undefined, KB_MCP_API_KEY_FILE: path } });
    const line = server.output.split("\n").find((line) =>
      /warn/i.test(line) && /KB_MCP_API_KEY_FILE/.test(line)
    );
    if (line === undefined) throw new Error(`a key file with mode 644 needs a warning, got ${server.output}`);
    return line.trim().slice(0, 160);
  },
};

/** Right-to-left override, zero-width space, a tag character, the escape of terminals, soft hyphen. */
const INVISIBLE = "\u202e\u200b\u{e0041}\u001b\u00ad";

function hasInvisible(text: string): boolean {
  return [...INVISIBLE].some((character) => text.includes(character));
}

const invisible: Check = {
  name: "invisible-characters",
  async run(attack) {
    const server = await attack.serve();
    const value = `a${INVISIBLE}b`;
    const requests = [
      ["tools/call", { name: "kb_get", arguments: { document_id: value } }],
      ["tools/call", { name: "kb_addnote", arguments: { text: "a", collection: value } }],
      ["tools/call", { name: "kb_addnote", arguments: { text: "a", tags: [`collection:${value}`] } }],
      ["tools/call", { name: "kb_addnote", arguments: { text: "a", [value]: 1 } }],
      ["tools/call", { name: "kb_upload_start", arguments: { filename: `${value}.exe`, total_size: 1 } }],
      ["tools/call", { name: "kb_upload_finish", arguments: { upload_id: value } }],
      ["tools/call", { name: value, arguments: {} }],
      ["resources/read", { uri: `kb://document/${value}` }],
      ["prompts/get", { name: value }],
      [value, {}],
    ] as const;
    const echoed: string[] = [];
    for (const [method, params] of requests) {
      const { body } = await exchange(server, mcpRequest(method, params));
      JSON.parse(body, (key, value) => {
        const shown = `${key}${typeof value === "string" ? value : ""}`;
        if (hasInvisible(shown)) echoed.push(`${method} ${JSON.stringify(params)}: ${body}`);
        return value;
      });
    }
    if (hasInvisible(server.output)) echoed.push("the log");
    if (echoed.length > 0) throw new Error(`${echoed.length} of ${requests.length} echoed, ${echoed[0]}`);
    return `${requests.length} errors without them`;
  },
};

const version: Check = {
  name: "version-without-token",
  async run(attack) {
    const server = await attack.serve();
    const { status, body } = await exchange(
      server,
      requestHead({ method: "GET", path: "/version", token: null }),
    );
    const fields = status === 200 ? Object.keys(JSON.parse(body)).toSorted().join(", ") : "";
    if (status === 200 && fields !== "name, version") {
      throw new Error(`/version must only name the program, got ${body}`);
    }
    return `status ${status} ${body.trim()}`;
  },
};

/** Attacks on what is shown. */
export const disclosure: readonly Check[] = [files, keyFile, invisible, version];
