/** A request that cannot be parsed or is not supported. The connection is closed after its response. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
  /** Status of the response. */
  readonly status: number;

  /** @param message For the client: what is wrong. Contains nothing that the client sent. */
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
