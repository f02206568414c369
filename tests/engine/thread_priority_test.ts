import { assert, assertEquals } from "@std/assert";
import { startProgram } from "../support/program.ts";
import { tinyModel } from "../support/tiny_model.ts";

/** Returns the "nice" values of the threads that a program has started, in ascending order. */
async function priorities(pid: number): Promise<number[]> {
  const values: number[] = [];
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const stat = await Deno.readTextFile(`/proc/${pid}/task/${name}/stat`);
    if (stat.includes("(worker-")) values.push(Number(stat.slice(stat.lastIndexOf(")")).split(" ")[17]));
  }
  return values.sort((a, b) => a - b);
}

/** Adds a document. */
async function add(url: string, fields: Record<string, string | File>): Promise<void> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const response = await fetch(`${url}/api/v1/jobs`, { method: "POST", body });
  const result = await response.text();
  assert(response.ok, result);
}

Deno.test({
  name: "threads that store documents run at a lower priority than searches",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const dataDir = await Deno.makeTempDir();
    {
      await using program = await startProgram(["engine"], { KB_DATA_DIR: dataDir });
      await add(program.url, { text: "A note for the writer." });
      await add(program.url, { file: new File(["A file for the reader."], "file.md") });
      const [own, ...others] = await priorities(program.child.pid);
      // One searches; one writes and one reads files.
      assertEquals(others, [own! + 5, own! + 5]);
    }
    await Deno.remove(dataDir, { recursive: true });
  },
});

Deno.test({
  name: "the thread that embeds documents on the core for queries runs at the lowest priority",
  ignore: Deno.build.os !== "linux" || navigator.hardwareConcurrency < 2,
  async fn() {
    const dataDir = await Deno.makeTempDir();
    await Deno.mkdir(`${dataDir}/models`);
    await Deno.writeFile(`${dataDir}/models/heron.kbmodel`, tinyModel({ name: "heron" }));
    {
      await using program = await startProgram(["engine"], {
        KB_DATA_DIR: dataDir,
        KB_EMBEDDINGS_MODEL: "heron",
      });
      // One batch for each thread, and more: the last thread gets one when all others have one.
      const notes = Array.from({ length: 20 * navigator.hardwareConcurrency }, (_, n) => `Heron ${n}`);
      await Promise.all(notes.map((text) => add(program.url, { text })));
      let values: number[];
      do values = await priorities(program.child.pid); while (!values.includes(values[0]! + 10));
      assertEquals(values.filter((value) => value === values[0]! + 10).length, 1);
    }
    await Deno.remove(dataDir, { recursive: true });
  },
});
