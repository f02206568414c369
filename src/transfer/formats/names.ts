/** Formats that `kb-mcp import` reads. */
export const FORMATS = [
  "export",
  "obsidian",
  "chatgpt",
  "claude",
  "basic-memory",
  "mcp-memory-service",
  "server-memory",
  "jsonl",
] as const;
/** Name of a format. */
export type FormatName = (typeof FORMATS)[number];
