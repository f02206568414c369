/** The key of the server, for as long as the tab is open. */

const NAME = "kb-mcp key";
/** @type {string | undefined} For browsers that forbid the storage. */
let kept;

/** @returns {string | undefined} */
export function key() {
  try {
    return sessionStorage.getItem(NAME) ?? undefined;
  } catch {
    return kept;
  }
}

/** @param {string} value */
export function keepKey(value) {
  kept = value;
  try {
    sessionStorage.setItem(NAME, value);
  } catch {
    // It is kept until the page is reloaded.
  }
}

export function forgetKey() {
  kept = undefined;
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Nothing is stored.
  }
}
