/** Weight of an occurrence in each column: title, heading, body. The kernel has the same ones; see doclist.as. */
export const COLUMN_WEIGHTS = [3, 2, 1] as const;
