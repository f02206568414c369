import type { CommandContext } from "./context.ts";

/** Returns a function that asks a yes-or-no question; undefined if nobody could read or answer it. */
export function terminalConfirm(
  { isTerminal }: Pick<CommandContext, "isTerminal">,
): ((question: string) => boolean) | undefined {
  return isTerminal && Deno.stdin.isTerminal() ? globalThis.confirm : undefined;
}
