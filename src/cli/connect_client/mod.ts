/**
 * `kb-mcp connect CLIENT`: prints how a client connects, or edits its configuration.
 *
 * @module
 */
import { type Config, ConfigError, SETTINGS } from "../../config/mod.ts";
import { isLoopback } from "../../http/mod.ts";
import { visibleText } from "../../text/mod.ts";
import { ExitError } from "../exit_status.ts";
import { localUrl } from "../local_url.ts";
import { pingStatus } from "../ping_status.ts";
import { servedUrl } from "../served_url.ts";
import { type Client, CLIENTS, type ServerAddress } from "./clients.ts";
import { lineDiff } from "./diff.ts";
import { type ConfigurationEdit, EditError } from "./edit.ts";
import { editJsonc } from "./edit_jsonc.ts";
import { editToml } from "./edit_toml.ts";
import { readTextIfExists, replaceFile } from "./files.ts";
import { stdioCommandLine } from "./own_command.ts";
import { userFolders } from "./paths.ts";

/** Arguments of `kb-mcp connect`. */
export interface ConnectOptions {
  /** Name of the client. */
  readonly client: string;
  /** Name of the server in the configuration. */
  readonly name: string;
  /** Configuration to edit. @default that of the client for all projects */
  readonly file?: string | undefined;
  /** MCP endpoint. @default `KB_MCP_URL`, or the address of the running server */
  readonly url?: string | undefined;
  /** Whether the client starts `kb-mcp stdio` even if it could connect over HTTP. */
  readonly stdio?: boolean | undefined;
  /** Whether to edit the configuration. */
  readonly write?: boolean | undefined;
  /** Whether to remove the entry. */
  readonly remove?: boolean | undefined;
  /** Whether to edit without a question. */
  readonly yes?: boolean | undefined;
}

/** Parts of the process that the command uses. */
export interface ConnectContext {
  readonly print: (text: string) => void;
  /** Writes a message to standard error. */
  readonly printError: (text: string) => void;
  /** Returns an environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Returns the data directory when `KB_DATA_DIR` is unset. */
  readonly defaultDataDir: () => string;
  /** Asks a person; undefined: nobody is there. */
  readonly confirm: ((question: string) => boolean) | undefined;
}

/**
 * Prints the entry of a client's configuration, or writes it.
 *
 * @throws {ConfigError} When an argument is invalid.
 * @throws {ExitError} When the configuration cannot be edited, which leaves it as it is.
 */
export async function runConnect(
  options: ConnectOptions,
  config: Config,
  context: ConnectContext,
): Promise<void> {
  const client = findClient(options.client);
  const file = options.file ?? client.file(userFolders(Deno.build.os, context.env));
  const address = await addressFor(client, options, { config, defaultDataDir: context.defaultDataDir });
  const entry = options.remove ? undefined : client.entry(address);
  const edit: ConfigurationEdit = {
    container: client.container,
    name: options.name,
    entry,
    input: client.input,
  };
  const secret = client.keyReference === undefined ? address.key : undefined;
  // As configurations contain it: with escapes.
  const written = secret === undefined ? undefined : JSON.stringify(secret).slice(1, -1);
  const mask = (text: string) => written === undefined ? text : text.replaceAll(written, "<KB_MCP_API_KEY>");
  if (!options.write && !options.remove) {
    context.print(mask(describe(client, file, edit, nextStep(client, address))));
    return;
  }
  const before = await readTextIfExists(file);
  // The edit of a missing file would create an empty configuration.
  const after = options.remove && before === undefined ? "" : applyEdit(client, before ?? "", edit, file);
  if (after === (before ?? "")) {
    context.print(`${file}: nothing to change.\n`);
    return;
  }
  // Comments and values of the configuration can have any character.
  context.print(visibleText(`${file}:\n${mask(lineDiff(before ?? "", after))}`));
  if (!options.yes && !confirmed(context)) {
    context.print("Nothing was written.\n");
    return;
  }
  const backup = await replaceFile(file, after, { isSecret: secret !== undefined && entry !== undefined });
  context.print(backup === undefined ? "Written.\n" : `Written. The former file is ${backup}\n`);
  if (entry === undefined) return;
  if (secret !== undefined) {
    context.printError(
      `${client.title} has no references to environment variables, so ${file} contains the key. Only you can read it`,
    );
  }
  context.print(`${nextStep(client, address)}\n`);
}

function findClient(id: string): Client {
  const client = CLIENTS.find((each) => each.id === id);
  if (client) return client;
  const ids = CLIENTS.map((each) => each.id).join(", ");
  throw new ConfigError(`CLIENT must be one of ${ids}, got ${JSON.stringify(id)}`);
}

async function addressFor(
  client: Client,
  options: ConnectOptions,
  { config, defaultDataDir }: { readonly config: Config; readonly defaultDataDir: () => string },
): Promise<ServerAddress> {
  const isStdio = options.stdio === true || !client.hasHttp;
  const { KB_MCP_PUBLIC_URL: publicUrl } = config;
  const given = parseUrl(options.url) ?? config.KB_MCP_URL;
  // `kb-mcp stdio` finds a server on this machine by the data directory.
  const isRemote = !isStdio || given !== undefined;
  const url = given ??
    (publicUrl !== undefined
      ? `${publicUrl}/mcp`
      : isStdio
      ? localUrl(config)
      : await servedUrl(config, defaultDataDir));
  const command = stdioCommandLine();
  const { KB_MCP_API_KEY: key, KB_MCP_KEYS: keys } = config;
  const isKeyed = isRemote && options.remove !== true &&
    (key !== undefined || given === undefined && keys !== undefined || await requiresKey(url));
  if (isKeyed && key === undefined && client.keyReference === undefined) {
    throw new ConfigError(
      `KB_MCP_API_KEY must be set to your key: ${url} requires one, which the entry of ${client.title} contains`,
    );
  }
  return {
    command: isStdio ? [...command, ...(isRemote ? ["--url", url] : [])] : undefined,
    env: isRemote || config.KB_DATA_DIR === undefined ? {} : { KB_DATA_DIR: config.KB_DATA_DIR },
    url,
    key: isKeyed ? client.keyReference ?? key : undefined,
  };
}

/** Whether a server on this machine asks for a key. Others are not called: they may not be reachable from here. */
async function requiresKey(url: string): Promise<boolean> {
  return isLoopback(new URL(url).hostname) && await pingStatus(url) === 401;
}

function parseUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { success, data, error } = SETTINGS.KB_MCP_URL.schema.safeParse(url);
  if (success) return data;
  throw new ConfigError(`--url must be ${error.issues[0]?.message}, got ${JSON.stringify(url)}`);
}

/** Returns what the user does after the change. */
function nextStep({ title, input, keyReference, next }: Client, { key }: ServerAddress): string {
  if (key === undefined || keyReference === undefined) return next;
  if (input !== undefined) return `${next} ${title} asks for the key once.`;
  return `Set KB_MCP_API_KEY in the environment of ${title}, which reads the key from there. ${next}`;
}

function describe(client: Client, file: string, edit: ConfigurationEdit, next: string): string {
  return `Add to ${file}:

${applyEdit(client, "", edit, file)}
${next}
To write it: kb-mcp connect ${client.id} --write
`;
}

function applyEdit(client: Client, text: string, edit: ConfigurationEdit, file: string): string {
  try {
    return client.format === "toml" ? editToml(text, edit) : editJsonc(text, edit);
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    throw new ExitError(1, `${file}: ${error.message}`, { cause: error });
  }
}

function confirmed({ confirm }: ConnectContext): boolean {
  if (confirm) return confirm("Write this?");
  throw new ConfigError("--yes must be set when there is no terminal to confirm the change");
}
