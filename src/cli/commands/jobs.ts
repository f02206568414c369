import { Command } from "commander";
import { JobStatus } from "../../contract/mod.ts";
import type { JobOptions, RetryOptions } from "../client/jobs.ts";
import type { CommandContext } from "../context.ts";
import { integerOption } from "../option_values.ts";
import { choice, type OutputFlags, withOutput, withPage } from "./client_options.ts";

/** `kb-mcp jobs`. */
export function jobsCommand(context: CommandContext): Command {
  const command = new Command("jobs")
    .summary("list ingestion jobs")
    .description("List ingestion jobs, newest first, or print one of them.")
    .argument("[id]", "id of a job")
    .addOption(choice("--status <status>", "only jobs in this status", JobStatus.options))
    .option("-w, --wait <seconds>", "wait for the job to end", integerOption("--wait", 0, 86_400));
  command.addCommand(cancelCommand(context)).addCommand(retryCommand(context));
  return withOutput(withPage(command, "jobs"), {
    examples: [
      ["kb-mcp jobs --status failed", "List failed jobs with the reasons"],
      ["kb-mcp jobs 7 --wait 60", "Wait for a job"],
      ["kb-mcp jobs retry --all-failed", "Read the files of failed jobs again"],
    ],
    exitStatus: { 1: "the job failed, was cancelled, or has not ended in time" },
  }).action(async (id: string | undefined, options: JobOptions & OutputFlags) => {
    const { runClient } = await import("../client/run_client.ts");
    const { job, jobs } = await import("../client/jobs.ts");
    await runClient(
      context,
      options,
      (client) => id === undefined ? jobs(options, client) : job(id, options, client),
    );
  });
}

function cancelCommand(context: CommandContext): Command {
  const command = new Command("cancel")
    .summary("cancel a job that has not ended")
    .description("Cancel a job that is queued or processing. Nothing of it is stored. It can be retried.")
    .argument("<id>", "id of the job");
  return withOutput(command, {
    examples: [["kb-mcp jobs cancel 7", "Stop reading a file"]],
  }).action(async (id: string, _options: OutputFlags, command: Command) => {
    const { runClient } = await import("../client/run_client.ts");
    const { cancelJob } = await import("../client/jobs.ts");
    await runClient(context, allOptions(command), (client) => cancelJob(id, client));
  });
}

function retryCommand(context: CommandContext): Command {
  const command = new Command("retry")
    .summary("process failed or cancelled jobs again")
    .description("Queue a failed or cancelled job again, with its id, while its file or note is still kept.")
    .argument("[id]", "id of the job")
    .option("--all-failed", "retry all failed jobs");
  return withOutput(command, {
    examples: [
      ["kb-mcp jobs retry 7", "Read a file again"],
      ["kb-mcp jobs retry --all-failed", "Retry all failed jobs"],
    ],
    exitStatus: { 2: "some jobs could not be queued again" },
  }).action(async (id: string | undefined, options: RetryOptions, command: Command) => {
    const { runClient } = await import("../client/run_client.ts");
    const { retryJobs } = await import("../client/jobs.ts");
    await runClient(context, allOptions(command), (client) => retryJobs(id, options, client));
  });
}

/** Returns the options of a subcommand. The parser gives those that `jobs` has too, such as `--json`, to `jobs`. */
function allOptions(command: Command): OutputFlags {
  return command.optsWithGlobals();
}
