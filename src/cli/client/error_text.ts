/**
 * Rewrites an error message of the engine for a person at a shell. The client writes its messages for agents, with the
 * names of tools: the commands with these names do the same.
 */
export function errorText(message: string): string {
  return message
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
