/**
 * Compiles the library that fails system calls, and controls it in the process that has preloaded it.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";

/** Kinds of calls that can fail; fault_library.c has the same values. */
export const CALL_KINDS = {
  write: 1,
  sync: 2,
  truncate: 4,
  create: 8,
  rename: 16,
  remove: 32,
  allocate: 64,
} as const;

/** Values of errno(3) on Linux. */
export const ERRNO = { EIO: 5, ENOMEM: 12, ENOSPC: 28 } as const;

/** Size of the allocation by which the library recognizes SQLite, in bytes. No other code allocates it. */
const CALIBRATION_BYTES = 12_345_680;

const SOURCE = new URL("./fault_library.c", import.meta.url).pathname;

const SYMBOLS = {
  fault_watch: { parameters: ["buffer"], result: "void" },
  fault_calibrate: { parameters: ["usize"], result: "void" },
  fault_is_calibrated: { parameters: [], result: "i32" },
  fault_arm: { parameters: ["i32", "i64", "i64", "i32", "i32"], result: "void" },
  fault_disarm: { parameters: [], result: "void" },
  fault_counted: { parameters: [], result: "i64" },
  fault_failed: { parameters: [], result: "i64" },
} as const;

/** Calls to fail. */
export interface Fault {
  /** Sum of {@linkcode CALL_KINDS}. */
  readonly kinds: number;
  /** Number of the first call that fails, from 1. */
  readonly from: number;
  /** Number of the last call that fails; `Infinity` for a lasting fault. */
  readonly to: number;
  /** One of {@linkcode ERRNO}. */
  readonly errno: number;
  /** Whether the first failing write stores half of its bytes, as on a disk with little space. */
  readonly isShort?: boolean;
}

/** Compiles the library. Returns the reason if this system cannot. */
export async function compileFaultLibrary(output: string): Promise<{ skipped: string } | undefined> {
  if (Deno.build.os !== "linux") return { skipped: "fault injection requires Linux" };
  try {
    const { success, stderr } = await new Deno.Command("gcc", {
      args: ["-O2", "-Wall", "-shared", "-fPIC", "-o", output, SOURCE],
    }).output();
    if (!success) return { skipped: `gcc failed: ${new TextDecoder().decode(stderr).slice(0, 500)}` };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { skipped: "fault injection requires gcc" };
  }
}

/** The preloaded library. */
export class FaultLibrary implements Disposable {
  readonly #library: Deno.DynamicLibrary<typeof SYMBOLS>;

  /** @param path The path in `LD_PRELOAD` of this process. */
  constructor(path: string) {
    this.#library = Deno.dlopen(path, SYMBOLS);
    const { fault_calibrate, fault_is_calibrated } = this.#library.symbols;
    fault_calibrate(BigInt(CALIBRATION_BYTES));
    using db = new DatabaseSync(":memory:");
    db.prepare("SELECT length(randomblob(?))").get(CALIBRATION_BYTES);
    if (fault_is_calibrated() === 0) {
      throw new Error("Cannot observe SQLite's allocations: is the library preloaded?");
    }
  }

  /** Watches the files below a directory, given by its absolute path. */
  watch(directory: string): void {
    this.#library.symbols.fault_watch(new TextEncoder().encode(`${directory}/\0`));
  }

  /** Starts counting, and fails the calls of a fault. */
  arm({ kinds, from, to, errno, isShort = false }: Fault): void {
    const last = BigInt(Math.min(to, Number.MAX_SAFE_INTEGER));
    this.#library.symbols.fault_arm(kinds, BigInt(from), last, errno, Number(isShort));
  }

  /** Lets every call succeed. */
  disarm(): void {
    this.#library.symbols.fault_disarm();
  }

  /** Number of calls that failed since {@linkcode FaultLibrary.arm}. */
  get failed(): number {
    return Number(this.#library.symbols.fault_failed());
  }

  [Symbol.dispose](): void {
    this.disarm();
    this.#library.close();
  }
}
