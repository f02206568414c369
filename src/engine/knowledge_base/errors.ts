import { StoreError } from "./operations.ts";

/**
 * A search that cannot be done as asked; its `code` is `invalid`. The message is for whoever asked: what is wrong, and what
 * to do instead.
 */
export class SearchError extends StoreError {
  /** The class, by name. */
  override name = "SearchError";

  /** The code is always `invalid`. */
  constructor(message: string) {
    super("invalid", message);
  }
}
