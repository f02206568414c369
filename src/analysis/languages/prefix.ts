/**
 * First character of every derived term, of category Co (private use), which no normalized word starts with. The
 * code of the language follows, and then the stem.
 */
export const DERIVED_PREFIX = "\ue000";
