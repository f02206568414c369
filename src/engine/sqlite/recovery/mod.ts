/**
 * Backup of a database that may be in use, and repair of a damaged one.
 *
 * @module
 */
export { type Backup, backup, type BackupOptions } from "./backup.ts";
export { checkData, type CheckedPart, type CheckResult } from "./check_data.ts";
export type { Compression } from "./compression.ts";
export { repair, type RepairReport } from "./repair.ts";
export { restoreBackup, type RestoredBackup } from "./restore.ts";
export type { DamagedDocument, Salvaged } from "./salvage.ts";
export { vacuum, type VacuumResult } from "./vacuum.ts";
