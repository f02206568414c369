/**
 * Folders of the user: listing, and safe access to files inside them.
 *
 * @module
 */
export { createInside } from "./create_inside.ts";
export { hashFile } from "./hash_file.ts";
export { isHidden } from "./is_hidden.ts";
export { isInside } from "./is_inside.ts";
export { OtherTypes } from "./other_types.ts";
export { overlappingFolders } from "./overlapping_folders.ts";
export { type OpenFile, openInside } from "./open_inside.ts";
export { FolderError, type FolderProblem, type FolderProblemCode } from "./problem.ts";
export { syncDirectory } from "./sync_directory.ts";
export { type FolderFile, walkFolder, type WalkOptions } from "./walk.ts";
