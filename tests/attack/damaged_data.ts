/**
 * Data directories that were damaged while the program was stopped, or while it runs.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import type { ServerProcess } from "../../scripts/server_process.ts";
import type { Attack, Check } from "./attack.ts";
import { api, documentCount, storeNotes, submitNote } from "./engine_requests.ts";
import { eventually } from "./eventually.ts";
import { exchange, HEALTH } from "./requests.ts";

/** EX_DATAERR of sysexits.h: the input data is incorrect. */
const EX_DATAERR = 65;
const PAGE_BYTES = 4096;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const NOTES = 30;

/** Creates a data directory with 30 acknowledged notes. A killed engine leaves them in the write-ahead log. */
async function dataWithNotes(attack: Attack, end: "stopped" | "killed"): Promise<string> {
  const data = `${await attack.directory()}/data`;
  const server = await attack.engine({ data });
  await storeNotes(server, NOTES);
  if (end === "stopped") await server.terminate();
  else await server[Symbol.asyncDispose]();
  return data;
}

/** Overwrites a range of a file with random bytes. */
async function overwrite(path: string, offset: number, length: number): Promise<void> {
  using file = await Deno.open(path, { write: true });
  await file.seek(offset, Deno.SeekMode.Start);
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += 65536) {
    crypto.getRandomValues(bytes.subarray(start, start + 65536));
  }
  for (let written = 0; written < length;) written += await file.write(bytes.subarray(written));
}

/** Checks that both commands refuse a data directory with one line for its operator. */
async function refuses(attack: Attack, data: string): Promise<string> {
  let line = "";
  for (const role of ["engine", "serve"] as const) {
    const { code, output } = await attack.refusedStart(role, { data });
    // Log lines may come first.
    const lines = output.trim().split("\n").filter((line) => !line.startsWith('{"time":'));
    if (code !== EX_DATAERR) throw new Error(`${role} expected status ${EX_DATAERR}, got ${code}: ${output}`);
    if (lines.length !== 1) throw new Error(`${role} must print one line, got ${output}`);
    if (!/backup|kb-mcp repair/.test(output)) throw new Error(`${role} must say what to do, got ${output}`);
    line = lines[0]!;
  }
  return `status ${EX_DATAERR}: ${line.replaceAll(data, "DATA").slice(0, 160)}`;
}

/** A data directory that is damaged while the program is stopped. */
function damaged(name: string, end: "stopped" | "killed", damage: (data: string) => Promise<void>): Check {
  return {
    name: `damaged-${name}`,
    async run(attack) {
      const data = await dataWithNotes(attack, end);
      await damage(data);
      return await refuses(attack, data);
    },
  };
}

const size = async (path: string) => (await Deno.stat(path)).size;

/**
 * Length of the used part of a write-ahead log, in bytes: frames after it, with other salts than the header, are of
 * before the last checkpoint (section 4.1 of the SQLite file format).
 */
async function usedLogSize(path: string): Promise<number> {
  const bytes = await Deno.readFile(path);
  const salts = (at: number) => bytes.subarray(at, at + 8).toHex();
  let end = LOG_HEADER_BYTES;
  while (end < bytes.length && salts(end + 8) === salts(16)) end += FRAME_HEADER_BYTES + PAGE_BYTES;
  return end;
}

/** Overwrites a page in the middle of the frames in a write-ahead log. */
async function damageLog(path: string): Promise<void> {
  await overwrite(path, Math.floor(await usedLogSize(path) / 2), PAGE_BYTES);
}

const whileStopped: readonly Check[] = [
  damaged("pages", "stopped", async (data) => {
    const database = `${data}/kb.db`;
    await overwrite(database, 2 * PAGE_BYTES, Math.floor(await size(database) / 2));
  }),
  damaged("header", "stopped", (data) => overwrite(`${data}/kb.db`, 0, 100)),
  damaged("empty-database", "stopped", (data) => Deno.truncate(`${data}/kb.db`, 0)),
  damaged("missing-database", "stopped", (data) => Deno.remove(`${data}/kb.db`)),
  damaged("truncated-database", "stopped", async (data) => {
    await Deno.truncate(`${data}/kb.db`, Math.floor(await size(`${data}/kb.db`) / 2));
  }),
  damaged(
    "foreign-file",
    "stopped",
    (data) => Deno.writeTextFile(`${data}/kb.db`, "not a database\n".repeat(1000)),
  ),
  damaged("foreign-database", "stopped", async (data) => {
    await Deno.remove(`${data}/kb.db`);
    using database = new DatabaseSync(`${data}/kb.db`);
    database.exec("CREATE TABLE other (a); INSERT INTO other VALUES (1)");
  }),
  damaged("log-in-the-middle", "killed", (data) => damageLog(`${data}/kb.db-wal`)),
  damaged("truncated-log", "killed", async (data) => {
    const log = `${data}/kb.db-wal`;
    await Deno.truncate(log, Math.floor(await usedLogSize(log) / 2));
  }),
  damaged("missing-log", "killed", (data) => Deno.remove(`${data}/kb.db-wal`)),
];

const older: Check = {
  name: "damaged-older-copy",
  async run(attack) {
    const data = await dataWithNotes(attack, "stopped");
    await Deno.copyFile(`${data}/kb.db`, `${data}/older`);
    const server = await attack.engine({ data });
    await storeNotes(server, 3, "later");
    await server.terminate();
    await Deno.rename(`${data}/older`, `${data}/kb.db`);
    return await refuses(attack, data);
  },
};

const killed: Check = {
  name: "intact-after-kill",
  async run(attack) {
    const data = await dataWithNotes(attack, "killed");
    const server = await attack.engine({ data });
    const count = await documentCount(server);
    if (count !== NOTES) throw new Error(`${NOTES} acknowledged notes expected after kill -9, got ${count}`);
    return `${count} of ${NOTES} notes`;
  },
};

/** Reads every document and returns the statuses and error codes. */
async function readAll(server: ServerProcess, count: number): Promise<Set<string>> {
  const results = new Set<string>();
  for (let id = 1; id <= count; id++) {
    const { status, body } = await api(server, `/documents/${id}`);
    results.add(status === 200 ? "200" : `${status} ${body.error?.code}`);
  }
  return results;
}

const atRunTime: Check = {
  name: "damaged-while-running",
  async run(attack) {
    const data = await dataWithNotes(attack, "stopped");
    const server = await attack.engine({ data });
    const database = `${data}/kb.db`;
    await overwrite(database, PAGE_BYTES, await size(database) - PAGE_BYTES);
    // Pages in caches still serve reads; a write reads others.
    const results = await eventually(
      async () => {
        const found = await readAll(server, NOTES);
        const { status, body } = await submitNote(server, `A note after the damage, ${crypto.randomUUID()}`);
        return [...found, status === 202 ? "accepted" : `${status} ${body.error?.code}`];
      },
      (results) => results.some((result) => result.endsWith("storage_damaged")),
      { timeoutMs: 20_000, description: "a response with storage_damaged" },
    );
    const write = await submitNote(server, "Another note after the damage");
    if (write.body.error?.code !== "storage_damaged") {
      throw new Error(`a write expected storage_damaged, got ${write.status} ${JSON.stringify(write.body)}`);
    }
    const health = await exchange(server, HEALTH);
    if (health.status !== 200) throw new Error(`/healthz expected status 200, got ${health.status}`);
    if (/\n\s+at /.test(server.output)) {
      throw new Error(`the log must not contain stack traces: ${server.output}`);
    }
    return `${[...new Set(results)].join(", ")}; the process serves /healthz`;
  },
};

const backup: Check = {
  name: "backup-and-restore",
  async run(attack) {
    const data = `${await attack.directory()}/data`;
    const server = await attack.engine({ data });
    await storeNotes(server, NOTES);
    const file = `${await attack.directory()}/backup.db`;
    const made = await attack.command(["backup", file], { KB_DATA_DIR: data });
    if (made.code !== 0) throw new Error(`backup expected status 0, got ${made.code}: ${made.output}`);
    const mode = ((await Deno.stat(file)).mode ?? 0) & 0o777;
    if (mode !== 0o600) throw new Error(`the backup expected mode 600, got ${mode.toString(8)}`);
    const restored = `${await attack.directory()}/restored`;
    await Deno.mkdir(restored, { mode: 0o700 });
    await Deno.copyFile(file, `${restored}/kb.db`);
    const count = await documentCount(await attack.engine({ data: restored }));
    if (count !== NOTES) throw new Error(`the backup must hold ${NOTES} notes, got ${count}`);
    return `backup of a running engine: ${count} notes, mode 600`;
  },
};

/** Damages data, repairs it and returns how many documents are left. */
async function repaired(attack: Attack, damage: (data: string) => Promise<void>, end: "stopped" | "killed") {
  const data = await dataWithNotes(attack, end);
  await damage(data);
  const { code, output } = await attack.command(["repair"], { KB_DATA_DIR: data });
  if (code !== 0) throw new Error(`repair expected status 0, got ${code}: ${output}`);
  const server = await attack.engine({ data });
  const count = await documentCount(server);
  await storeNotes(server, 1, "after the repair");
  return count;
}

const repair: Check = {
  name: "repair",
  async run(attack) {
    const pages = await repaired(attack, async (data) => {
      // The last page is damaged: most notes can be recovered.
      await overwrite(`${data}/kb.db`, await size(`${data}/kb.db`) - PAGE_BYTES, PAGE_BYTES);
    }, "stopped");
    const log = await repaired(attack, (data) => damageLog(`${data}/kb.db-wal`), "killed");
    return `documents after repair: ${pages} of ${NOTES} with a damaged page, ${log} with a damaged log`;
  },
};

/** Attacks on stored data. */
export const damagedData: readonly Check[] = [
  ...whileStopped,
  older,
  killed,
  atRunTime,
  backup,
  repair,
];
