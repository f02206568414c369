import type { JobAccepted } from "../../contract/mod.ts";
import { EngineError } from "../errors.ts";

/** Form fields since contract 3.3. Engines before reject a form with a field that they do not know. */
export type NewJobField = "overwrite" | "keep_collection";

/** An accepted job. */
export type SubmittedJob = JobAccepted & {
  /** Requested fields that the engine does not know, so that the job has been submitted without them. */
  readonly unsupported?: readonly NewJobField[];
};

/** Time in milliseconds after which a field is sent again: the engine may have been upgraded. */
const REJECTION_MS = 60_000;

/** Submits jobs to engines of any version: without the fields that an engine has rejected. */
export class JobSubmitter {
  readonly #now: () => number;
  #rejectedUntil = -Infinity;

  /** @param now Monotonic clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Submits a job, and a second time without `fields` if the engine does not know one of them: a form is
   * rejected before anything is stored.
   *
   * @param fields The requested fields, all with the value `true`.
   * @param send Sends the form with some of the fields.
   */
  async submit(
    fields: readonly NewJobField[],
    send: (fields: readonly NewJobField[]) => Promise<JobAccepted>,
  ): Promise<SubmittedJob> {
    if (fields.length === 0) return await send([]);
    if (this.#now() >= this.#rejectedUntil) {
      try {
        return await send(fields);
      } catch (error) {
        if (!isUnknownField(error, fields)) throw error;
        this.#rejectedUntil = this.#now() + REJECTION_MS;
      }
    }
    return { ...await send([]), unsupported: fields };
  }
}

/** Says that a field is unknown: this project's engines, Pydantic, JSON Schema validators. */
const UNKNOWN_FIELD = /unknown|unexpected|unrecognized|additional|extra|not (?:allowed|permitted)/i;

function isUnknownField(error: unknown, fields: readonly NewJobField[]): boolean {
  return error instanceof EngineError && error.code === "invalid" &&
    (error.status === 400 || error.status === 422) &&
    UNKNOWN_FIELD.test(error.message) && fields.some((name) => error.message.includes(name));
}
