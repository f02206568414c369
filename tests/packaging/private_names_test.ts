import { assertEquals } from "@std/assert";
import { filesBelow, read } from "./repository.ts";

/** Names that only exist on one machine or network, spelled in parts so that this file does not match. */
const PRIVATE: readonly RegExp[] = [
  new RegExp(["deno", "dev\\b"].join("-")),
  new RegExp(["", "work", ""].join("/")),
  new RegExp(["", "root", ""].join("/")),
  new RegExp(["", "tmp", "\\w"].join("/")),
  new RegExp(["registry", "npmjs"].join("\\.")),
  new RegExp(["deb", "debian", "org"].join("\\.")),
];

/** The developers' data next to the repository, which only the CI script looks for. */
const SHARED = new RegExp(["\\.\\.", "shared\\b"].join("/"));

Deno.test("no file names a private path, a private command or a package registry's host", async () => {
  const hits: string[] = [];
  for (const path of await filesBelow("")) {
    const patterns = path === ".ci/run" ? PRIVATE : [...PRIVATE, SHARED];
    const bytes = await read(path);
    for (const [index, line] of bytes.split("\n").entries()) {
      if (patterns.some((pattern) => pattern.test(line))) {
        hits.push(`${path}:${index + 1}: ${line.trim().slice(0, 120)}`);
      }
    }
  }
  assertEquals(hits, []);
});
