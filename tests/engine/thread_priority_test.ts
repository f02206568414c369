import { assert, assertEquals } from "@std/assert";
import { startProgram } from "../support/program.ts";

/** Returns the "nice" values of the threads that a program has started, in ascending order. */
async function priorities(pid: number): Promise<number[]> {
  const values: number[] = [];
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const stat = await Deno.readTextFile(`/proc/${pid}/task/${name}/stat`);
    if (stat.includes("(worker-")) values.push(Number(stat.slice(stat.lastIndexOf(")")).split(" ")[17]));
  }
  return values.sort((a, b) => a - b);
}

Deno.test({
  name: "threads that store documents run at a lower priority than searches",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const dataDir = await Deno.makeTempDir();
    {
      await using program = await startProgram(["engine"], { KB_DATA_DIR: dataDir });
      const add = async (body: FormData) => {
        const response = await fetch(`${program.url}/api/v1/jobs`, { method: "POST", body });
        const result = await response.text();
        assert(response.ok, result);
      };
      const note = new FormData();
      note.set("text", "A note for the writer.");
      await add(note);
      const file = new FormData();
      file.set("file", new File(["A file for the reader."], "file.md"));
      await add(file);
      const [own, ...others] = await priorities(program.child.pid);
      // One searches; one writes and one reads files.
      assertEquals(others, [own! + 5, own! + 5]);
    }
    await Deno.remove(dataDir, { recursive: true });
  },
});
