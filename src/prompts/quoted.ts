/** How much of a name that nobody knows a message repeats. */
const MAX_SHOWN_CHARS = 60;

/** What a client sent, for a message: quoted, cut. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, MAX_SHOWN_CHARS).toWellFormed());
}
