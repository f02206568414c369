/**
 * A process that sends notes and files to its own engine and prints the id of each accepted job, until it is
 * killed. Argument: the data directory.
 */
import { Engine } from "../../src/engine/mod.ts";
import { engineOptions } from "./engine_options.ts";

const engine = await Engine.open(engineOptions(Deno.args[0]!));
const encoder = new TextEncoder();

async function send(content: string, asFile: boolean): Promise<void> {
  const form = new FormData();
  if (asFile) form.append("file", new File([content], "note.txt"));
  else form.append("text", content);
  const response = await engine.fetch(
    new Request("http://engine/api/v1/jobs", { method: "POST", body: form }),
  );
  const { job_id } = await response.json();
  Deno.stdout.writeSync(encoder.encode(`${job_id}\n`));
}

for (let round = 0;; round++) {
  await Promise.all(Array.from({ length: 16 }, (_, i) => send(`round ${round}, number ${i}`, i === 0)));
}
