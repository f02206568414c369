import type { DatabaseSync } from "node:sqlite";
import {
  forgetSymbols,
  hasPackedTexts,
  hasSymbolRows,
  inTransaction,
  isOutOfMemory,
  lastChunkId,
  learnStoredSymbols,
  readSymbols,
  SYMBOL_TABLES,
  writeSymbols,
} from "../store/mod.ts";
import type { SymbolTable } from "../text_packing/mod.ts";

/** Number of chunks from which symbols are learned when the writer is idle. */
const IDLE_CHUNKS = 1024;
/** Number of chunks from which symbols are learned between writes that follow each other. */
const BUSY_CHUNKS = 4096;
/** Number of chunks after the first copy of the symbols until the second one, which must not be its neighbour in the file. */
const CHUNKS_BETWEEN_COPIES = 256;

/** Numbers of chunks that are not the defaults; for tests. */
export interface SymbolLearningOptions {
  /** @default {1024} */
  readonly idleChunks?: number;
  /** @default {4096} */
  readonly busyChunks?: number;
  /** @default {256} */
  readonly chunksBetweenCopies?: number;
}

/** Learns the symbols that texts are packed with, once, in short steps between which writes can run. */
export class SymbolLearning {
  readonly #db: DatabaseSync;
  readonly #between: number;
  /** Id of a chunk from which the next work is due: when the writer is idle, and in any case. Infinity: none is left. */
  #due: { readonly idle: number; readonly busy: number };
  #steps: Generator<void, SymbolTable | undefined> | undefined;

  /** @param db The writing connection. */
  constructor(
    db: DatabaseSync,
    { idleChunks = IDLE_CHUNKS, busyChunks = BUSY_CHUNKS, chunksBetweenCopies = CHUNKS_BETWEEN_COPIES }:
      SymbolLearningOptions = {},
  ) {
    this.#db = db;
    this.#between = chunksBetweenCopies;
    this.#due = this.#dueAtStart({ idle: idleChunks, busy: busyChunks });
  }

  /**
   * Whether a step is due.
   *
   * @param isIdle Whether no writes follow each other.
   */
  isDue(isIdle: boolean): boolean {
    const due = isIdle ? this.#due.idle : this.#due.busy;
    return due < Infinity && lastChunkId(this.#db) >= due;
  }

  /**
   * Works for some milliseconds, if a step is due. Work that fails, for example because the disk is full, is given up
   * until the store has twice as many chunks.
   *
   * @returns Whether more steps are needed.
   */
  step(isIdle: boolean): boolean {
    if (!this.isDue(isIdle)) return false;
    const last = lastChunkId(this.#db);
    try {
      return this.#work(last);
    } catch {
      this.#giveUp(last);
      return false;
    }
  }

  #work(last: number): boolean {
    if (hasAnySymbols(this.#db)) {
      this.#writeCopy();
      return false;
    }
    if (!this.#steps && hasPackedTexts(this.#db)) {
      // Their symbols are lost. Others would keep kb-mcp repair from finding what is left of them.
      this.#due = both(Infinity);
      return false;
    }
    this.#steps ??= learnStoredSymbols(this.#db);
    const { done, value: table } = this.#steps.next();
    if (!done) return true;
    this.#steps = undefined;
    if (!table) {
      this.#giveUp(last);
      return false;
    }
    inTransaction(this.#db, () => writeSymbols(this.#db, SYMBOL_TABLES[0], table, last));
    this.#due = both(last + this.#between);
    return false;
  }

  /** Writes the second copy of the symbols. From here on, texts are packed. */
  #writeCopy(): void {
    const symbols = readSymbols(this.#db);
    if (symbols?.isComplete) {
      inTransaction(
        this.#db,
        () => writeSymbols(this.#db, SYMBOL_TABLES[1], symbols.table, symbols.lastChunk),
      );
      forgetSymbols(this.#db);
    }
    this.#due = both(Infinity);
  }

  #giveUp(last: number): void {
    this.#steps = undefined;
    this.#due = both(2 * Math.max(last, 1));
  }

  #dueAtStart(first: { readonly idle: number; readonly busy: number }) {
    try {
      if (!hasAnySymbols(this.#db)) return first;
      const symbols = readSymbols(this.#db);
      const lacksCopy = symbols?.isComplete && !hasSymbolRows(this.#db, SYMBOL_TABLES[1]);
      return both(lacksCopy ? symbols.lastChunk + this.#between : Infinity);
    } catch (error) {
      if (isOutOfMemory(error)) throw error;
      // Damaged: kb-mcp check reports it, and symbols are never replaced.
      return both(Infinity);
    }
  }
}

/** Whether symbols were written, which must never be replaced. */
function hasAnySymbols(db: DatabaseSync): boolean {
  return SYMBOL_TABLES.some((table) => hasSymbolRows(db, table));
}

function both(chunk: number) {
  return { idle: chunk, busy: chunk };
}
