/**
 * Backup of a database that may be in use, and repair of a damaged one.
 *
 * @module
 */
export { type Backup, backup } from "./backup.ts";
export { repair, type RepairReport } from "./repair.ts";
export type { DamagedDocument, Salvaged } from "./salvage.ts";
