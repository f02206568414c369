/** Advice for agents that a person at a shell follows in another way. */
const ADVICE: readonly (readonly [advice: string, inShell: string])[] = [
  ["edit its title, tags, source_path or metadata", "edit its title, tags, path or metadata"],
  ["upload its new version with the same source_path", "add its new version with the same path (kb-mcp add)"],
  ["change the file there, or tell the user.", "change the file there."],
  ["Do not try again: tell the user that the operator has to repair it", "Run kb-mcp repair"],
  ["Tell the user that the operator has to fix it; the engine's log", "The engine's log"],
  ["tell the user that the engine has to be upgraded", "upgrade the engine"],
];

/**
 * Rewrites an error message of the engine for a person at a shell. The client writes its messages for agents, with the
 * names of tools: the commands with these names do the same.
 */
export function errorText(message: string): string {
  return ADVICE.reduce((text, [advice, inShell]) => text.replace(advice, inShell), message)
    .replace(/^The engine does not accept this \(\d{3}\): /, "")
    .replace(
      /^(The local engine is .*)Check that it runs and that KB_ENGINE_URL is right/,
      "$1Start kb-mcp serve",
    )
    .replaceAll(/\bCall kb_/g, "Run kb_")
    .replaceAll(/ without (?:job_id|revision)\b/g, "")
    .replaceAll(
      /\bkb_(search|get|list|jobs|history|restore|edit|delete|tags|collection|status)\b/g,
      "kb-mcp $1",
    );
}
