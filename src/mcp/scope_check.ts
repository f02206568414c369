import { includesScope, type Scope } from "../keys/mod.ts";
import { quoteText } from "../text/mod.ts";
import type { Caller, Tool } from "../tools/mod.ts";

/** Code of a call that the key of its caller does not allow. */
export const SCOPE_REQUIRED = "scope_required";

/** Returns the tools that a key may call. */
export function allowedTools(tools: readonly Tool[], held: Scope): readonly Tool[] {
  return held === "write" ? tools : tools.filter(({ scope }) => includesScope(held, scope));
}

/** Returns the arguments of a tool that need a wider scope than a key has. */
export function forbiddenArguments({ argumentScopes = {} }: Tool, held: Scope): string[] {
  return Object.keys(argumentScopes).filter((name) => !includesScope(held, argumentScopes[name]!));
}

/**
 * Checks a call against the scope of its caller's key.
 *
 * @returns The text of the result if the call is not allowed: JSON with a `code` for programs and a `message` for the
 * model; undefined if it is.
 */
export function denial(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  { scope: held, key }: Pick<Caller, "scope" | "key">,
): string | undefined {
  if (!includesScope(held, tool.scope)) return describe(tool.name, tool.scope, { held, key });
  const forbidden = forbiddenArguments(tool, held)
    .find((name) => args[name] !== undefined && args[name] !== null && args[name] !== false);
  if (forbidden === undefined) return undefined;
  return describe(`${tool.name} with ${forbidden}`, tool.argumentScopes![forbidden]!, { held, key });
}

function describe(
  action: string,
  required: Scope,
  { held, key }: { readonly held: Scope; readonly key: string | undefined },
): string {
  const name = key === undefined ? "" : ` ${quoteText(key)}`;
  const message =
    `${action} needs a key with the scope ${required}, and the key${name} has ${held}. Nothing was changed. ` +
    "Do not try it again: tell the user that the operator of this server can change the scope with " +
    `kb-mcp key change ${key ?? "NAME"} --scope ${required}.`;
  return JSON.stringify({ outcome: "denied", code: SCOPE_REQUIRED, required, scope: held, message });
}
