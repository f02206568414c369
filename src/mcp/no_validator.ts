/**
 * In place of the SDKs' validators of JSON Schema. They check what clients answer to requests of the server, of which
 * there are none; the SDKs' own are 30 ms of start-up for nothing.
 */
export const noValidator = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: "unused" }),
};
