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
import { compare, document, type Documents, inspectFiles } from "./model.ts";
import { addDocument, OPERATIONS } from "./operations.ts";

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

/** What to inject. */
export interface Injection {
  /** Name in {@linkcode OPERATIONS}. */
  readonly operation: string;
  /** Name in {@linkcode MODES}. */
  readonly mode: string;
  /** Factor by which the number of the failing call grows, at least by 1. @default {1} */
  readonly growth?: number;
}

/** Result of an injection; each problem names the number of the call. */
export interface InjectionResult {
  readonly faults: number;
  /** Error codes of the answers, with their number. */
  readonly codes: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** Injects faults into one operation. */
export async function inject(library: FaultLibrary, injection: Injection): Promise<InjectionResult> {
  const operation = OPERATIONS[injection.operation]!;
  const { faultAt, mayBeUnknown } = MODES[injection.mode]!;
  const codes: Record<string, number> = {};
  const problems: string[] = [];
  let faults = 0;
  await using engine = await EmbeddedEngine.open();
  library.watch(engine.dataDir);
  const words: string[] = [];
  let documents: Documents = new Map();
  for (const word of ["basisone", "basistwo"]) {
    documents = await addDocument(engine, documents, document(word));
  }
  for (let n = 1;; n = Math.max(n + 1, Math.floor(n * (injection.growth ?? 1)))) {
    const word = `word${n}x`;
    words.push(word);
    const report = (state: string, found: readonly string[]) =>
      problems.push(...found.map((problem) => `call ${n}, ${state}: ${problem}`));
    documents = await operation.prepare?.(engine, documents, word) ?? documents;
    library.arm(faultAt(n));
    const { allowed, code = "success", message } = await operation.run(
      engine,
      documents,
      word,
      () => library.failed > 0,
    );
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
  }
  // A file that could not be removed from the spool is removed at the next start.
  await engine.reopen();
  await engine.close();
  problems.push(...inspectFiles(engine.dataDir).map((problem) => `at the end: ${problem}`));
  return { faults, codes, problems };
}

/** Copies a data directory in another process: closing a file of SQLite here would release its locks. */
async function copyOf(dataDir: string) {
  const path = await Deno.makeTempDir({ prefix: "kb-mcp-killed-" });
  await new Deno.Command("cp", { args: ["-R", `${dataDir}/.`, path], env: { LD_PRELOAD: "" } }).output();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }).catch(() => {}) };
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
