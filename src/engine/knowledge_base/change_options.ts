/** Who makes a change, and the version of the document that it is meant for. */
export interface ChangeOptions {
  /**
   * Version that the document must have, or several of which it must have one. Otherwise the change throws
   * `version_conflict`, with a `VersionConflict` of the contract as `details`, and changes nothing.
   */
  readonly ifVersion?: number | readonly number[] | undefined;
  /** Name of the person or program that makes the change. */
  readonly actor?: string | undefined;
}

/** Options of {@linkcode KnowledgeBase.deleteDocument}. */
export interface DeleteOptions extends ChangeOptions {
  /** Erases the document and its revisions at once, also from the trash. */
  readonly permanent?: boolean | undefined;
}
