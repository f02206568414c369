import { oneLine } from "../../text/mod.ts";
import { counted } from "../format.ts";

/** Maximum number of types that are named. */
const MAX_LISTED_TYPES = 8;

/** Returns the number of files of some types. */
export function countFiles(types: Readonly<Record<string, number>>): number {
  return Object.values(types).reduce((sum, count) => sum + count, 0);
}

/**
 * Says how many files of a folder are left out because of their types.
 *
 * @param types Number of files by extension, the most frequent one first, as a plan and a synchronization have them.
 */
export function describeOtherTypes(types: Readonly<Record<string, number>>): string {
  const named = Object.entries(types).map(([type, count]) => `${oneLine(type, 20)} ${count}`);
  const listed = [...named.slice(0, MAX_LISTED_TYPES), ...(named.length > MAX_LISTED_TYPES ? ["…"] : [])];
  return `Left out ${counted(countFiles(types), "file")} of other types (${listed.join(", ")})`;
}
