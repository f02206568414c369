import type { Entry } from "./clients.ts";

/** A change of a client's configuration. */
export interface ConfigurationEdit {
  /** Member of the configuration that contains the servers. */
  readonly container: string;
  /** Name of the server. */
  readonly name: string;
  /** Its new entry; undefined: remove it. */
  readonly entry: Entry | undefined;
  /** A value that the client asks the user for. */
  readonly input?: (Entry & { readonly id: string }) | undefined;
}

/** A configuration that cannot be edited: it is left as it is. The message names what to do. */
export class EditError extends Error {
  override name = "EditError";
}

/**
 * Returns whether an entry is one of kb-mcp, by its address or command. Another server of the same name is not
 * overwritten.
 */
function isOwnEntry(entry: unknown): boolean {
  return /kb-mcp|KB_MCP_|\/mcp"|"stdio"\]/.test(JSON.stringify(entry) ?? "");
}

/** @throws {EditError} When the name belongs to another server. */
export function checkOwner(entry: unknown, name: string): void {
  if (entry === undefined || isOwnEntry(entry)) return;
  throw new EditError(
    `The configuration already has another server ${JSON.stringify(name)}: set --name to another name`,
  );
}
