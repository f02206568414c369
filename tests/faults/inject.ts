/**
 * Fails the n-th call of one operation for n = 1, 2, 3 …, until a run meets no fault. Runs in a process that
 * has preloaded the library; run.ts starts it.
 *
 * After each fault it checks three states against the acknowledged documents: the engine that has met the
 * fault, once calls succeed again; a copy of its files from right after the fault, as a killed process would
 * leave them; and the engine after a restart.
 *
 * @module
 */
import { EmbeddedEngine } from "../support/embedded_engine.ts";
import { CALL_KINDS, ERRNO, type Fault, FaultLibrary } from "./fault_library.ts";
import { compare, document, type Documents, type Expected, inspectFiles, withDocument } from "./model.ts";
import { addDocument, OPERATIONS } from "./operations.ts";
import { packTexts } from "./packed_texts.ts";
import { copy, hasAdvice, PROCEDURES } from "./procedures.ts";

/** A way to fail. */
interface Mode {
  readonly faultAt: (n: number) => Fault;
  /** Whether the engine may not know whether a change was made. */
  readonly mayBeUnknown?: boolean;
}

const FILE_CALLS = Object.values(CALL_KINDS).reduce((sum, kind) => sum + kind, 0) - CALL_KINDS.allocate;
const { write, create, sync, allocate } = CALL_KINDS;

/** Ways to fail by name. */
export const MODES: Readonly<Record<string, Mode>> = {
  "one I/O error": { faultAt: (n) => ({ kinds: FILE_CALLS, from: n, to: n, errno: ERRNO.EIO }) },
  "one failed sync": { faultAt: (n) => ({ kinds: sync, from: n, to: n, errno: ERRNO.EIO }) },
  "lasting I/O errors": {
    faultAt: (n) => ({ kinds: FILE_CALLS, from: n, to: Infinity, errno: ERRNO.EIO }),
    mayBeUnknown: true,
  },
  "full disk": {
    faultAt: (n) => ({ kinds: write | create, from: n, to: Infinity, errno: ERRNO.ENOSPC, isShort: true }),
  },
  "one failed allocation": { faultAt: (n) => ({ kinds: allocate, from: n, to: n, errno: ERRNO.ENOMEM }) },
};

/** The faults to inject. */
export interface Injection {
  /** Name in {@linkcode OPERATIONS} or {@linkcode PROCEDURES}. */
  readonly operation: string;
  /** Name in {@linkcode MODES}. */
  readonly mode: string;
  /** Factor by which the number of the failing call grows, at least by 1. @default {1} */
  readonly growth?: number;
  /** Number of the first call to fail. @default {1} */
  readonly from?: number;
  /** Number of the last call to fail. @default {Infinity} */
  readonly to?: number;
}

/** Result of an injection; each problem names the number of the call. */
export interface InjectionResult {
  readonly faults: number;
  /** Error codes of the answers, with their number. */
  readonly codes: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** Injects faults into an operation or a procedure. */
export async function inject(library: FaultLibrary, injection: Injection): Promise<InjectionResult> {
  return injection.operation in PROCEDURES
    ? await injectIntoProcedure(library, injection)
    : await injectIntoOperation(library, injection);
}

/** Injects faults into one operation. All run on the same engine. */
async function injectIntoOperation(library: FaultLibrary, injection: Injection): Promise<InjectionResult> {
  const operation = OPERATIONS[injection.operation]!;
  const { faultAt, mayBeUnknown } = MODES[injection.mode]!;
  const codes: Record<string, number> = {};
  const problems: string[] = [];
  let faults = 0;
  await using engine = await EmbeddedEngine.open();
  packTexts(engine.dataDir);
  await engine.reopen();
  library.watch(engine.dataDir);
  const words: string[] = [];
  let documents: Documents = new Map();
  const add = async (added: Expected) => {
    documents = withDocument(documents, added);
    return await addDocument(engine, added);
  };
  for (const word of ["basisone", "basistwo"]) await add(document(word));
  for (const n of callNumbers(injection)) {
    const word = `word${n}x`;
    words.push(word);
    const report = (state: string, found: readonly string[]) =>
      problems.push(...found.map((problem) => `call ${n}, ${state}: ${problem}`));
    const id = operation.prepare ? await add(operation.prepare(word)) : 0;
    library.arm(faultAt(n));
    const hasFailed = () => library.failed > 0;
    const { allowed, code = "success", message } = await operation.run({
      engine,
      documents,
      word,
      id,
      hasFailed,
    });
    const { failed } = library;
    await using killed = failed === 0 ? undefined : await copyOf(engine.dataDir);
    library.disarm();
    codes[code] = (codes[code] ?? 0) + 1;
    if (code === "internal" && !(mayBeUnknown && message?.includes("may have been made"))) {
      report("answer", [`${message}`]);
    }
    const live = await compare(engine, allowed, words);
    report("continued", live.problems);
    if (killed) report("killed", await compareCopy(killed.path, allowed, words));
    if (!live.state) {
      problems.push("Cannot continue from an unknown state");
      break;
    }
    documents = live.state;
    if (failed === 0) break;
    faults++;
    if (n % 10 !== 0) continue;
    await engine.reopen();
    report("restarted", (await compare(engine, [documents], words)).problems);
    // Starts the writer thread, which starts with the first write.
    await add(document(`restart${n}x`));
  }
  // A file that could not be removed from the spool is removed at the next start.
  await engine.reopen();
  await engine.close();
  problems.push(...inspectFiles(engine.dataDir).map((problem) => `at the end: ${problem}`));
  return { faults, codes, problems };
}

/** Injects faults into a procedure. Each run starts with a copy of the same directory. */
async function injectIntoProcedure(
  library: FaultLibrary,
  injection: Injection,
): Promise<InjectionResult> {
  const { prepare, run } = PROCEDURES[injection.operation]!;
  const { faultAt } = MODES[injection.mode]!;
  const codes: Record<string, number> = {};
  const problems: string[] = [];
  await using template = await temporaryDirectory();
  const documents = await prepare(template.path);
  let faults = 0;
  for (const n of callNumbers(injection)) {
    await using used = await temporaryDirectory();
    await copy(template.path, used.path);
    library.watch(used.path);
    const arm = () => library.arm(faultAt(n));
    try {
      await run(used.path, arm, () => library.failed > 0);
      codes["success"] = (codes["success"] ?? 0) + 1;
    } catch (error) {
      codes["error"] = (codes["error"] ?? 0) + 1;
      if (!hasAdvice(error)) problems.push(`call ${n}: no advice in ${error}`);
    }
    const { failed } = library;
    library.disarm();
    problems.push(
      ...(await compareCopy(used.path, [documents], [])).map((problem) => `call ${n}: ${problem}`),
    );
    if (failed === 0) break;
    faults++;
  }
  return { faults, codes, problems };
}

/** Yields the numbers of the calls to fail. */
function* callNumbers({ growth = 1, from = 1, to = Infinity }: Injection): Generator<number> {
  for (let n = from; n <= to; n = Math.max(n + 1, Math.floor(n * growth))) yield n;
}

async function temporaryDirectory() {
  const path = await Deno.makeTempDir({ prefix: "kb-mcp-faults-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }).catch(() => {}) };
}

async function copyOf(dataDir: string) {
  const directory = await temporaryDirectory();
  await copy(dataDir, directory.path);
  return directory;
}

async function compareCopy(
  path: string,
  allowed: readonly Documents[],
  words: readonly string[],
): Promise<string[]> {
  let engine: EmbeddedEngine;
  try {
    engine = await EmbeddedEngine.over(path);
  } catch (error) {
    return [`the next start fails: ${error}`];
  }
  await using _ = engine;
  const { problems } = await compare(engine, allowed, words);
  await engine.close();
  return [...problems, ...inspectFiles(path)];
}

if (import.meta.main) {
  const [path = "", json = ""] = Deno.args;
  using library = new FaultLibrary(path);
  const result = await inject(library, JSON.parse(json));
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(result)));
}
