/** How long former versions and deleted documents are kept. */
export interface Retention {
  /** Number of former versions of each document. 0: none. */
  readonly maxRevisions: number;
  /** Days after which a former version is deleted, from the change that ended it. */
  readonly revisionDays: number;
  /** Days until a deleted document is erased. 0: it is erased at once. */
  readonly trashDays: number;
}

/** Defaults of `KB_REVISIONS`, `KB_REVISION_DAYS` and `KB_TRASH_DAYS`. */
export const DEFAULT_RETENTION: Retention = { maxRevisions: 20, revisionDays: 90, trashDays: 30 };

/** Returns the time that is a number of days after another one, both in the format of `timestamp`. */
export function addDays(time: string, days: number): string {
  return new Date(Date.parse(time) + days * 86_400_000).toISOString();
}
