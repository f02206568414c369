/**
 * Maximum number of levels of nesting in the metadata of a document. SQLite reads 1000, a client reads responses of
 * 64, and front matter in use has a few.
 */
export const MAX_METADATA_LEVELS = 32;

/** Whether a JSON value has at most {@linkcode MAX_METADATA_LEVELS} objects and lists within each other. */
export function isMetadataShallow(value: unknown): boolean {
  let containers = [value].filter(isContainer);
  for (let level = 1; level <= MAX_METADATA_LEVELS && containers.length > 0; level++) {
    containers = containers.flatMap((each) => Object.values(each)).filter(isContainer);
  }
  return containers.length === 0;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
