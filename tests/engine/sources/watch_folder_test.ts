import { assertEquals } from "@std/assert";
import { watchFolder } from "../../../src/engine/sources/mod.ts";
import { silentLogger } from "../../../src/telemetry/mod.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

/** Calls of `onChange`, to be awaited one by one. */
class Changes {
  readonly #calls: (readonly string[] | undefined)[] = [];
  #waiting: PromiseWithResolvers<void> | undefined;

  readonly onChange = (paths: readonly string[] | undefined): Promise<void> => {
    this.#calls.push(paths && [...paths].sort());
    this.#waiting?.resolve();
    return Promise.resolve();
  };

  /** Resolves to the paths of the calls so far once they contain a path. */
  async until(path: string): Promise<string[]> {
    while (!this.#calls.flat().includes(path)) {
      this.#waiting = Promise.withResolvers<void>();
      await this.#waiting.promise;
    }
    return [...new Set(this.#calls.flatMap((paths) => paths ?? ["(all)"]))].sort();
  }
}

Deno.test("changes are reported together, without hidden and temporary files", async () => {
  await using folder = await temporaryFolder({ "a.md": "1", "b/c.md": "1", ".obsidian/x.json": "1" });
  const changes = new Changes();
  await using watcher = watchFolder(folder.path, {
    onChange: changes.onChange,
    onPoll: () => changes.onChange(undefined),
    log: silentLogger,
    pollMs: 1e6,
  });
  await watcher.started;
  await folder.write(".obsidian/x.json", "2");
  await folder.write(".hidden.md", "2");
  await folder.write("~$a.docx", "2");
  await folder.write("a.md", "2");
  await Deno.rename(`${folder.path}/b`, `${folder.path}/d`);
  await folder.write("b/.kbignore", "x");
  await folder.write("last.md", "1");
  assertEquals(await changes.until("last.md"), ["a.md", "b", "d", "last.md"]);
});

Deno.test("a folder that cannot be watched is scanned at intervals", async () => {
  await using folder = await temporaryFolder();
  const polled = Promise.withResolvers<void>();
  const onPoll = () => Promise.resolve(polled.resolve());
  const onChange = () => Promise.reject(new Error("Nothing has changed"));
  const missing = `${folder.path}/missing`;
  await using _watcher = watchFolder(missing, { onChange, onPoll, log: silentLogger, pollMs: 1 });
  await polled.promise;
});
