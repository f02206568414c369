import { isDeepStrictEqual } from "node:util";
import { parse, stringify, type TomlTable } from "smol-toml";
import { MANAGED_MEMBERS } from "./clients.ts";
import { checkOwner, type ConfigurationEdit, EditError } from "./edit.ts";

/**
 * Changes the entry of a server in TOML: rewrites the lines of its tables and leaves all others as they are.
 *
 * The result is parsed and compared with the intended one, because lines are found without a parser.
 *
 * @throws {EditError} When the text is not valid, contains another server of that name, or defines the entry in a form
 * that this function cannot change, such as an inline table.
 */
export function editToml(text: string, { container, name, entry }: ConfigurationEdit): string {
  const root = parseTable(text);
  const servers = root[container] ?? {};
  if (!isTable(servers)) throw new EditError(`${container} must be a table: correct the configuration first`);
  const old = servers[name];
  checkOwner(old, name);
  const wanted = entry && { ...unmanaged(old), ...entry } as TomlTable;
  if (isDeepStrictEqual(plain(old), plain(wanted))) return text;

  const header = `${container}.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}`;
  const block = wanted ? stringify({ [container]: { [name]: wanted } }).trimEnd() : undefined;
  const result = replaceTables(text, header, block);

  const { [name]: _, ...others } = servers;
  const changed = wanted ? { ...others, [name]: wanted } : others;
  const expected = { ...root, [container]: changed };
  if (isEqual(result, expected, container)) return result;
  throw new EditError(`Cannot change [${header}] in this form: edit it by hand`);
}

function isEqual(text: string, expected: TomlTable, container: string): boolean {
  try {
    return isDeepStrictEqual(plain({ [container]: {}, ...parse(text) }), plain(expected));
  } catch {
    return false;
  }
}

/** Replaces the lines of a table and of the tables below it, or appends them. */
function replaceTables(text: string, header: string, block: string | undefined): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const isHeader = (line: string) => /^\s*\[/.test(line);
  const isOwn = (line: string) => {
    const title = /^\s*\[([^[\]]+)\]/.exec(line)?.[1]?.replaceAll(/\s/g, "");
    return title !== undefined && (title === header || title.startsWith(`${header}.`));
  };
  const first = lines.findIndex(isOwn);
  const added = block?.split("\n") ?? [];
  if (first === -1) {
    const before = text.trimEnd() === "" ? [] : [...text.trimEnd().split(/\r?\n/), ""];
    return [...before, ...added, ""].join(eol);
  }
  let end = first + 1;
  while (end < lines.length && (!isHeader(lines[end] ?? "") || isOwn(lines[end] ?? ""))) end++;
  // Blank lines and comments above the next table belong to that.
  while (end > first + 1 && /^\s*(?:#.*)?$/.test(lines[end - 1] ?? "")) end--;
  const rest = lines.slice(end);
  const kept = added.length === 0 && lines[first - 1] === "" && rest[0] === "" ? rest.slice(1) : rest;
  return [...lines.slice(0, first), ...added, ...kept].join(eol);
}

function parseTable(text: string): TomlTable {
  try {
    return parse(text);
  } catch (cause) {
    const [problem = ""] = (cause as Error).message.split("\n");
    throw new EditError(`The configuration must be valid TOML: ${problem}. Correct it first`, { cause });
  }
}

/** Returns the members of an entry that `connect` does not manage. */
function unmanaged(entry: unknown): TomlTable {
  if (!isTable(entry)) return {};
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !MANAGED_MEMBERS.includes(key)));
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns a value without the prototypes of the parser. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
