import { Command } from "commander";
import { JobStatus } from "../../contract/mod.ts";
import type { JobOptions } from "../client/jobs.ts";
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
  return withOutput(withPage(command, "jobs"), {
    examples: [
      ["kb-mcp jobs --status failed", "List failed jobs with the reasons"],
      ["kb-mcp jobs 7 --wait 60", "Wait for a job"],
    ],
    exitStatus: { 1: "the job failed, or has not ended in time" },
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
