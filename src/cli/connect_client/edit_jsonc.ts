import {
  applyEdits,
  type FormattingOptions,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { MANAGED_MEMBERS } from "./clients.ts";
import { checkOwner, type ConfigurationEdit, EditError } from "./edit.ts";

/**
 * Changes the entry of a server in JSON with comments. Comments, formatting and all other members stay as they are.
 *
 * @throws {EditError} When the text is not valid, or contains another server of that name.
 */
export function editJsonc(text: string, { container, name, entry, input }: ConfigurationEdit): string {
  const root = text.trim() === "" ? {} : parse(text);
  const servers = member(root, container);
  const old = servers?.[name];
  checkOwner(old, name);
  let result = text.trim() === "" ? "{}\n" : text;
  const set = (path: JSONPath, value: unknown) => {
    // The formatter would also rewrite the lines next to a removed one.
    const options = value === undefined ? {} : { formattingOptions: formatting(result) };
    result = applyEdits(result, modify(result, path, value, options));
  };
  if (entry === undefined) {
    if (old !== undefined) set([container, name], undefined);
  } else if (typeof old !== "object" || old === null || Array.isArray(old)) {
    set([container, name], entry);
  } else {
    for (const key of MANAGED_MEMBERS) {
      const [before, after] = [(old as Record<string, unknown>)[key], entry[key]];
      if (JSON.stringify(before) !== JSON.stringify(after)) set([container, name, key], after);
    }
  }
  if (input) {
    const inputs = root["inputs"];
    if (inputs !== undefined && !Array.isArray(inputs)) throw notAnObject("inputs", "a list");
    const index = (inputs ?? []).findIndex((each: { id?: unknown } | null) => each?.id === input.id);
    const isNeeded = JSON.stringify(entry ?? {}).includes(`\${input:${input.id}}`);
    if (isNeeded && index === -1) set(["inputs", inputs?.length ?? 0], input);
    if (!isNeeded && index !== -1) set(["inputs", index], undefined);
  }
  return result;
}

function parse(text: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const tree: Node | undefined = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first || !tree) {
    const line = text.slice(0, first?.offset ?? 0).split("\n").length;
    const problem = first ? printParseErrorCode(first.error) : "no value";
    throw new EditError(
      `The configuration must be valid JSON, got ${problem} in line ${line}: correct it first`,
    );
  }
  if (tree.type !== "object") throw notAnObject("The configuration");
  return getNodeValue(tree);
}

function member(root: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const value = root[name];
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw notAnObject(name);
  return value as Record<string, unknown>;
}

function notAnObject(name: string, kind = "an object"): EditError {
  return new EditError(`${name} must be ${kind}: correct the configuration first`);
}

/** Returns the indentation and line ends of a text. */
function formatting(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
