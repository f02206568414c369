/**
 * Runs an engine on a small tmpfs, full or read-only, and prints the outcome as JSON. Needs a mount namespace of
 * its own. Arguments: the mount point, and the case.
 */
import { print } from "../../scripts/print.ts";
import { checkDataDir } from "../../src/cli/doctor/check_disk.ts";
import { backup, Engine, repair, vacuum } from "../../src/engine/mod.ts";
import { engineOptions } from "../support/engine_options.ts";

const [mountPoint = "", name = ""] = Deno.args;
const dataDir = `${mountPoint}/data`;
const results: unknown[] = [];

async function mount(...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("mount", { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

async function request(
  engine: Engine,
  path: string,
  init?: RequestInit,
): Promise<[status: number, body: unknown]> {
  const response = await engine.fetch(new Request(`http://engine${path}`, init));
  return [response.status, await response.json()];
}

async function addNote(engine: Engine, text: string): Promise<unknown> {
  const body = new FormData();
  body.append("text", text);
  const [status, response] = await request(engine, "/api/v1/jobs", { method: "POST", body });
  const { job_id, error } = response as { job_id?: number; error?: { code: string; message: string } };
  while (job_id !== undefined) {
    const [, job] = await request(engine, `/api/v1/jobs/${job_id}`);
    if ((job as { status: string }).status === "done") break;
    // Accepted with the last free pages: the job waits until there is space.
    if ((await request(engine, "/readyz"))[0] !== 200) break;
  }
  return error ? [status, error.code, error.message.includes("Nothing was changed")] : [status];
}

async function search(engine: Engine): Promise<unknown> {
  const init = { method: "POST", body: '{"query":"zebra"}', headers: { "content-type": "application/json" } };
  const [, body] = await request(engine, "/api/v1/search", init);
  return (body as { total?: number }).total;
}

async function observe(engine: Engine): Promise<void> {
  const added = await addNote(engine, "a second note");
  results.push({ added, found: await search(engine), ready: await request(engine, "/readyz") });
}

async function openAndObserve(path: string): Promise<void> {
  try {
    await using engine = await Engine.open(engineOptions(path));
    await observe(engine);
  } catch (error) {
    results.push((error as Error).message.replace(path, "PATH"));
  }
}

/** Fills the disk to the last page. */
async function fillDisk(): Promise<void> {
  const fill = await Deno.open(`${mountPoint}/fill`, { write: true, create: true });
  try {
    for (;;) await fill.write(new Uint8Array(4096));
  } catch {
    fill.close();
  }
}

/** Runs the commands of an operator with space for a part of their result only. */
async function fullRecovery(): Promise<void> {
  {
    await using engine = await Engine.open(engineOptions(dataDir));
    for (let n = 0; n < 4; n++) await addNote(engine, `${n} ${crypto.randomUUID()} zebra `.repeat(2500));
  }
  await Deno.writeFile(`${mountPoint}/spare`, new Uint8Array(500_000));
  await fillDisk();
  await Deno.remove(`${mountPoint}/spare`);
  const commands = [
    () => repair(dataDir),
    () => repair(dataDir, { into: `${mountPoint}/into` }),
    () => vacuum(dataDir),
    () => backup(dataDir, `${mountPoint}/backup.db`),
  ];
  for (const run of commands) {
    const error = await run().then(() => undefined, (error) => error);
    results.push([error?.name, error?.message.replace(mountPoint, "DISK")]);
  }
  await Deno.writeFile(`${mountPoint}/rest`, new Uint8Array(2 ** 20)).catch(() => {});
  results.push(checkDataDir(dataDir).state);
  const folders = [mountPoint, dataDir, `${mountPoint}/into`, `${mountPoint}/into/spool`];
  results.push(folders.map((path) => [...Deno.readDirSync(path)].map(({ name }) => name).sort()));
}

async function full(): Promise<void> {
  await using engine = await Engine.open(engineOptions(dataDir));
  await addNote(engine, "a zebra");
  await fillDisk();
  // The log has some pages to reuse.
  const large = "large ".repeat(20_000);
  while (JSON.stringify(await addNote(engine, large)) === "[202]");
  results.push({
    added: await addNote(engine, large),
    found: await search(engine),
    ready: await request(engine, "/readyz"),
  });
  await Deno.remove(`${mountPoint}/fill`);
  while ((await request(engine, "/readyz"))[0] !== 200);
  results.push({ added: await addNote(engine, large), ready: await request(engine, "/readyz") });
}

async function readOnly(): Promise<void> {
  const killed = `${mountPoint}/killed`;
  const withoutMemory = `${mountPoint}/without-memory`;
  const withoutLog = `${mountPoint}/without-log`;
  {
    await using engine = await Engine.open(engineOptions(dataDir));
    await addNote(engine, "a zebra");
    for (const path of [killed, withoutMemory]) {
      await Deno.mkdir(`${path}/spool`, { recursive: true });
      for (const file of ["kb.db", "kb.db-wal", "kb.db-shm", "kb.commit"]) {
        await Deno.copyFile(`${dataDir}/${file}`, `${path}/${file}`);
      }
    }
    await Deno.remove(`${withoutMemory}/kb.db-shm`);
  }
  await Deno.mkdir(`${withoutLog}/spool`, { recursive: true });
  for (const file of ["kb.db", "kb.commit"]) {
    await Deno.copyFile(`${dataDir}/${file}`, `${withoutLog}/${file}`);
  }
  await mount("-o", "remount,ro", mountPoint);
  for (const path of [dataDir, killed, withoutMemory, withoutLog]) await openAndObserve(path);
}

await mount("-t", "tmpfs", "-o", "size=6m", "tmpfs", mountPoint);
await (name === "full" ? full() : name === "full-recovery" ? fullRecovery() : readOnly());
print(JSON.stringify(results));
