import { extname, join } from "node:path";
import { runCommand } from "../../scripts/run_command.ts";
import type { Document, ReferenceTool } from "./documents.ts";

/** How each tool is called, with the path of the document at the end. */
const COMMANDS: Readonly<Record<ReferenceTool, (format: string) => readonly string[]>> = {
  pdftotext: () => ["sh", "-c", 'exec pdftotext -q -enc UTF-8 "$1" -', "sh"],
  pandoc: (format) => ["pandoc", "--quiet", "--from", format, "--to", "plain", "--wrap", "none"],
  trafilatura: () => ["sh", "-c", 'exec trafilatura --recall 2>/dev/null <"$1"', "sh"],
};

/** Returns the tools that are not installed, with the way to install each. */
export async function missingTools(): Promise<string[]> {
  const install: Record<ReferenceTool, string> = {
    pdftotext: "apt-get install poppler-utils poppler-data",
    pandoc: "apt-get install pandoc",
    trafilatura: "pip install trafilatura lxml_html_clean",
  };
  const missing: string[] = [];
  for (const [tool, command] of Object.entries(install)) {
    const { code } = await runCommand(["sh", "-c", 'command -v "$1"', "sh", tool]);
    if (code !== 0) missing.push(`${tool} (${command})`);
  }
  return missing;
}

/** Extracts the text of a document with its reference tool. */
export async function referenceText({ bytes, filename, tool }: Document): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "kb-mcp-formats-" });
  try {
    const path = join(folder, `document${extname(filename)}`);
    await Deno.writeFile(path, bytes);
    const { code, output } = await runCommand([...COMMANDS[tool](extname(filename).slice(1)), path]);
    if (code !== 0) throw new Error(`${tool} exited with ${code} for ${filename}: ${output.slice(0, 500)}`);
    return output;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
