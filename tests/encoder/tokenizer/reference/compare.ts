import { convertTokenizer, createTokenizer } from "../../../../src/encoder/tokenizer/mod.ts";

/** Maximum number of differences that are printed. */
const MAX_PRINTED = 20;

/**
 * Compares token ids with those of `reference.py fuzz`, read from standard input: JSON arrays of a text, the
 * maximum number of tokens and the expected ids, one per line.
 */
async function main(path: string): Promise<number> {
  const { header, vocabulary } = convertTokenizer(await Deno.readTextFile(path));
  const tokenizer = createTokenizer(header, vocabulary);
  const lines = (await new Response(Deno.stdin.readable).text()).split("\n").filter((line) => line !== "");
  const different = lines.filter((line) => {
    const [text, maxTokens, expected] = JSON.parse(line);
    return tokenizer.encode(text, maxTokens).join() !== expected.join();
  });
  const report = [
    ...different.slice(0, MAX_PRINTED),
    `${lines.length} texts, ${different.length} different`,
    "",
  ];
  await Deno.stdout.write(new TextEncoder().encode(report.join("\n")));
  return different.length === 0 ? 0 : 1;
}

const [path] = Deno.args;
if (path === undefined) throw new TypeError("Cannot compare: the path of a tokenizer.json is required");
Deno.exitCode = await main(path);
