import { Argument, Command } from "commander";
import { completionScript, type Shell, SHELLS } from "../completion.ts";
import type { CommandContext } from "../context.ts";
import { helpSections } from "../help_text.ts";

/** `kb-mcp completion`. */
export function completionCommand(context: CommandContext): Command {
  return new Command("completion")
    .summary("print a script with which a shell completes commands and options")
    .description("Print a script with which a shell completes commands, options and their values.")
    .addArgument(new Argument("<shell>", "shell that runs the script").choices(SHELLS))
    .addHelpText(
      "after",
      helpSections({
        examples: [
          ['eval "$(kb-mcp completion bash)"', "In ~/.bashrc"],
          ['eval "$(kb-mcp completion zsh)"', "In ~/.zshrc, after compinit"],
          ["kb-mcp completion fish > ~/.config/fish/completions/kb-mcp.fish", "Once for fish"],
        ],
      }),
    )
    .action((shell: Shell, _options: unknown, command: Command) => {
      context.print(completionScript(command.parent!, shell));
    });
}
