/** Messages from {@linkcode ThreadClient} to {@linkcode serveThread}. */
export type ToThread =
  | { readonly type: "open"; readonly settings: unknown }
  | { readonly type: "request"; readonly id: number; readonly input: unknown }
  | { readonly type: "notice"; readonly notice: unknown }
  | { readonly type: "close" };

/** Messages from {@linkcode serveThread} to {@linkcode ThreadClient}. */
export type FromThread =
  /** The thread listens. Messages posted earlier are lost. */
  | { readonly type: "ready" }
  | { readonly type: "opened" }
  | { readonly type: "openFailed"; readonly error: SerializedError }
  | { readonly type: "response"; readonly id: number; readonly output: unknown }
  | { readonly type: "error"; readonly id: number; readonly error: SerializedError }
  | { readonly type: "notice"; readonly notice: unknown }
  | { readonly type: "closed" };

/** Fields of an error. Structured cloning would drop its class and `code`. */
export interface SerializedError {
  readonly message: string;
  readonly code?: string;
  readonly cause?: string;
  /** Data for programs, as the error has it. Must be cloneable. */
  readonly details?: unknown;
}

/** An error that the service in the thread threw. */
export class RemoteError extends Error {
  /** Always `RemoteError`. */
  override name = "RemoteError";
  /** `code` of the error in the thread. */
  readonly code: string | undefined;
  /** `details` of the error in the thread. */
  readonly details: unknown;

  constructor({ message, code, cause, details }: SerializedError) {
    super(message, cause === undefined ? {} : { cause: new Error(cause) });
    this.code = code;
    this.details = details;
  }
}

/** Returns the fields of an error that are sent to the owner of the thread. */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, cause, code, details } = error as Error & { code?: unknown; details?: unknown };
  return {
    message,
    ...(typeof code === "string" && { code }),
    ...(cause instanceof Error && { cause: `${cause.name}: ${cause.message}` }),
    ...(details !== undefined && { details }),
  };
}
