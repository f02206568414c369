/**
 * Folders of the user: listing, and safe access to files inside them.
 *
 * @module
 */
export { createInside } from "./create_inside.ts";
export { hashFile } from "./hash_file.ts";
export { isInside } from "./is_inside.ts";
export { type OpenFile, openInside } from "./open_inside.ts";
export { FolderError, type FolderProblem, type FolderProblemCode } from "./problem.ts";
export {
  DEFAULT_MAX_DEPTH,
  DEFAULT_MAX_ENTRIES,
  type FolderFile,
  MAX_RELATIVE_PATH_CHARS,
  walkFolder,
  type WalkOptions,
} from "./walk.ts";
