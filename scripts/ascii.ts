/**
 * Writes a bundle in ASCII: `deno run -A scripts/ascii.ts FILE`.
 *
 * V8 keeps a source text with a single character beyond Latin-1 in two bytes a character, for every thread again. The
 * few there are stand in string and regular expression literals, where `\uXXXX` means the same.
 *
 * @module
 */
import { escapeNonAscii } from "../src/mcp/ascii.ts";

const [path = ""] = Deno.args;
await Deno.writeTextFile(path, escapeNonAscii(await Deno.readTextFile(path)));
