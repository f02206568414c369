import { oneLine } from "../../text/mod.ts";
import { counted } from "../format.ts";

/** Maximum number of types that are named. */
const MAX_LISTED_TYPES = 8;

/** Returns the number of files of some types. */
export function countFiles(types: ReadonlyMap<string, number>): number {
  return types.values().reduce((sum, count) => sum + count, 0);
}

/**
 * Says how many files of a folder are left out because of their types.
 *
 * @param types Number of files by extension, as a plan has them.
 */
export function describeOtherTypes(types: ReadonlyMap<string, number>): string {
  const sorted = [...types].toSorted(([a, aCount], [b, bCount]) => bCount - aCount || (a < b ? -1 : 1));
  const shown = sorted.slice(0, MAX_LISTED_TYPES).map(([type, count]) => `${oneLine(type, 20)} ${count}`);
  const listed = [...shown, ...(sorted.length > shown.length ? ["…"] : [])].join(", ");
  return `Left out ${counted(countFiles(types), "file")} of other types (${listed})`;
}
