import { createContext } from "../../src/cli/context.ts";
import { main } from "../../src/cli/mod.ts";

/** Runs a command line in this process, without the environment of this process. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { isTerminal = false, print }: { isTerminal?: boolean; print?: (text: string) => void } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ["", ""];
  const context = createContext({
    env,
    writeOut: print ?? ((text) => stdout += text),
    writeError: (text) => stderr += text,
    isTerminal,
  });
  const code = await main(args, context);
  return { code, stdout, stderr };
}
