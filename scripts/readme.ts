/**
 * `deno task readme`: writes the generated sections of README.md.
 *
 * @module
 */
import { withGeneratedSections } from "./readme_sections.ts";

const README = "README.md";

await Deno.writeTextFile(README, withGeneratedSections(await Deno.readTextFile(README)));
