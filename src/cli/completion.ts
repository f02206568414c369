import type { Command, Option } from "commander";
import { SettingOption } from "./setting_options.ts";

/** Shells that completions exist for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
/** A shell that completions exist for. */
export type Shell = typeof SHELLS[number];

/** A command as a shell completes it. */
interface Node {
  /** Names below the program, separated by spaces; empty for the program. */
  readonly path: string;
  readonly words: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly Option[];
}

/**
 * Returns the script with which a shell completes commands, options and their values. It contains all of them, so
 * that a completion does not start the program.
 */
export function completionScript(program: Command, shell: Shell): string {
  const nodes = nodesOf(program, "", program);
  return { bash, zsh, fish }[shell](nodes);
}

function nodesOf(command: Command, path: string, program: Command): Node[] {
  const visible = program.createHelp().visibleCommands(command);
  const words = visible.map((child) => ({
    name: child.name(),
    summary: child.summary() || child.description(),
  }));
  const options = [...command.options, ...(command === program ? [] : program.options.filter(isSetting))];
  const below = command.commands.flatMap((child) =>
    nodesOf(child, `${path} ${child.name()}`.trim(), program)
  );
  return [{ path, words, options }, ...below];
}

function isSetting(option: Option): boolean {
  return option instanceof SettingOption;
}

/** Returns the values of an option; undefined: any, or none. */
function valuesOf(option: Option): readonly string[] | undefined {
  return option instanceof SettingOption ? option.values : option.argChoices;
}

/** Returns `--long` and `-s` of an option. */
function flagsOf({ long, short }: Option): string[] {
  return [long, short].filter((flag) => flag !== undefined && flag !== null);
}

/** Returns the cases of a `case` that finds the command of the words so far. */
function pathCases(nodes: readonly Node[]): string {
  return nodes.filter(({ path }) => path !== "").map(({ path }) => {
    const names = path.split(" ");
    return `      ${quote(`${names.slice(0, -1).join(" ")}:${names.at(-1)}`)}) command=${quote(path)} ;;\n`;
  }).join("");
}

/** Returns the cases of a `case` that completes the value of the option before. */
function valueCases(nodes: readonly Node[], complete: (values: readonly string[]) => string): string {
  return nodes.flatMap(({ path, options }) =>
    options.flatMap((option) => {
      const values = valuesOf(option);
      if (!values) return [];
      const patterns = flagsOf(option).map((flag) => quote(`${path}:${flag}`)).join("|");
      return [`    ${patterns}) ${complete(values)}; return ;;\n`];
    })
  ).join("");
}

function bash(nodes: readonly Node[]): string {
  const words = nodes.map(({ path, words, options }) => {
    const all = [...words.map(({ name }) => name), ...options.flatMap(flagsOf), "--help"];
    return `    ${quote(path)}) words=${quote(all.join(" "))} ;;\n`;
  }).join("");
  return `# Completion of kb-mcp for bash: eval "$(kb-mcp completion bash)"
_kb_mcp() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command:$word" in
${pathCases(nodes)}    esac
  done
  case "$command:$previous" in
${valueCases(nodes, (values) => `COMPREPLY=($(compgen -W ${quote(values.join(" "))} -- "$current"))`)}  esac
  case "$command" in
${words}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _kb_mcp kb-mcp
`;
}

function zsh(nodes: readonly Node[]): string {
  const candidates = nodes.map(({ path, words, options }) => {
    const all = [
      ...words.map(({ name, summary }) => [name, summary] as const),
      ...options.flatMap((option) => flagsOf(option).map((flag) => [flag, describe(option)] as const)),
      ["--help", "print the help"] as const,
    ];
    const items = all.map(([name, text]) => quote(`${name.replaceAll(":", "\\:")}:${text}`));
    return `    ${quote(path)}) candidates=(${items.join(" ")}) ;;\n`;
  }).join("");
  return `#compdef kb-mcp
# Completion of kb-mcp for zsh: eval "$(kb-mcp completion zsh)", after compinit
_kb_mcp() {
  local command="" word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command:$word" in
${pathCases(nodes)}    esac
  done
  case "$command:\${words[CURRENT-1]}" in
${valueCases(nodes, (values) => `compadd -- ${values.map(quote).join(" ")}`)}  esac
  case "$command" in
${candidates}  esac
  _describe 'kb-mcp' candidates
  [[ -z "$command" ]] || _files
}
compdef _kb_mcp kb-mcp
`;
}

function fish(nodes: readonly Node[]): string {
  const cases = nodes.filter(({ path }) => path !== "").map(({ path }) => {
    const names = path.split(" ");
    const pattern = `${names.slice(0, -1).join(" ")}:${names.at(-1)}`;
    return `      case ${quoteFish(pattern)}\n        set command ${quoteFish(path)}\n`;
  }).join("");
  const lines = nodes.flatMap(({ path, words, options }) => {
    const condition = `complete -c kb-mcp -n ${quoteFish(`test (__kb_mcp_command) = ${quoteFish(path)}`)}`;
    return [
      ...words.map(({ name, summary }) =>
        `${condition} -f -a ${quoteFish(name)} -d ${quoteFish(firstSentence(summary))}`
      ),
      ...options.map((option) => {
        const long = option.long ? ` -l ${option.long.slice(2)}` : "";
        const short = option.short ? ` -s ${option.short.slice(1)}` : "";
        const values = valuesOf(option);
        const value = values ? ` -x -a ${quoteFish(values.join(" "))}` : option.required ? " -r" : "";
        return `${condition}${long}${short}${value} -d ${quoteFish(describe(option))}`;
      }),
    ];
  });
  return `# Completion of kb-mcp for fish: kb-mcp completion fish > ~/.config/fish/completions/kb-mcp.fish
function __kb_mcp_command
  set -l command ''
  for word in (commandline -opc)[2..-1]
    switch "$command:$word"
${cases}    end
  end
  echo "$command"
end
${lines.join("\n")}
`.replaceAll("test (__kb_mcp_command)", 'test "$(__kb_mcp_command)"');
}

function describe({ description }: Option): string {
  return firstSentence(description);
}

function firstSentence(text: string): string {
  return /^.*?[.;:](?= |$)/.exec(text)?.[0].slice(0, -1) ?? text;
}

/** Quotes a word for bash and zsh. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a word for fish. */
function quoteFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
