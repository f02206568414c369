import { DAMAGED } from "./kernel.ts";

/** The pages of the full-text index contradict their format: the database is damaged. */
export class IndexDamagedError extends Error {
  /** Always `IndexDamagedError`. */
  override name = "IndexDamagedError";
  /** A code of the engine's contract. */
  readonly code = "storage_damaged";
}

/** @throws {IndexDamagedError} If the kernel has found damage. */
export function requireIntact(state: number): number {
  if (state === DAMAGED) throw new IndexDamagedError("A leaf page of the full-text index is damaged");
  return state;
}
