import type { ErrorCode } from "../../contract/mod.ts";

/** A search that cannot be done as asked. The message is for whoever asked: what is wrong, and what to do instead. */
export class SearchError extends Error {
  override name = "SearchError";
  /** What the contract calls it. */
  readonly code: Extract<ErrorCode, "invalid">;

  constructor(code: Extract<ErrorCode, "invalid">, message: string) {
    super(message);
    this.code = code;
  }
}
