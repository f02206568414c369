/**
 * `deno task page [NAME...]`: uses the web page in Chromium as a person does, against servers with an embedded engine.
 * `--screenshots FOLDER` also writes pictures of its views. Prints `N passed, N failed`.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { print } from "../../scripts/print.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import { Browser } from "./browser.ts";
import { display, screenshots } from "./display.ts";
import { hostile } from "./hostile.ts";
import { key, limitedKey } from "./keys.ts";
import { origins } from "./origins.ts";
import { reading } from "./reading.ts";
import { runSection } from "./section.ts";
import { sources } from "./sources.ts";
import { uploads } from "./uploads.ts";
import { writing } from "./writing.ts";

const { values, positionals } = parseArgs({
  options: { screenshots: { type: "string" } },
  allowPositionals: true,
});
const folder = values.screenshots;
await using library = await temporaryFolder({
  "rules.md": "# Rules\n\nBe quiet.\n",
  "poems/first.md": "# First\n\nA poem about snow.\n",
});
const sections = folder === undefined
  ? [reading, writing, uploads, hostile, key, limitedKey, ...origins, display, sources(library.path)]
  : [screenshots(folder)];

let [passed, failed] = [0, 0];
await using browser = await Browser.launch();
for (const section of sections) {
  if (positionals.length > 0 && !positionals.includes(section.name)) continue;
  try {
    const checks = await runSection(section, browser);
    passed += checks.passed;
    failed += checks.failed;
  } catch (error) {
    failed++;
    print(`FAILED  ${section.name}\n${error instanceof Error ? error.stack : error}`);
  }
}
print(`${passed} passed, ${failed} failed`);
Deno.exitCode = failed > 0 || passed === 0 ? 1 : 0;
