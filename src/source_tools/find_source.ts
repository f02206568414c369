import type { EngineClient } from "../client/mod.ts";
import type { Source } from "../contract/mod.ts";
import { closestName, oneLine } from "../text/mod.ts";
import { ToolError } from "../tools/mod.ts";

/** Maximum number of names in a message. */
const MAX_NAMES = 20;

/** The part of a tool's context that {@linkcode findSource} uses. */
export interface SourceContext {
  readonly engine: EngineClient;
  readonly signal: AbortSignal;
}

/**
 * Returns a source by name, or the only one that a tool can use.
 *
 * @param candidates Limits the sources that are used without a name, such as to writable ones.
 * @throws {ToolError} If there is no such source, or several without a name.
 */
export async function findSource(
  name: string | undefined,
  context: SourceContext,
  candidates: (source: Source) => boolean = () => true,
): Promise<Source> {
  const sources = await context.engine.sources({ signal: context.signal });
  if (sources.length === 0) {
    throw new ToolError(
      "There are no sources. The user can add a folder: kb-mcp source add DIR --name NAME, or KB_SOURCES.",
    );
  }
  if (name !== undefined) {
    const found = sources.find((source) => source.name === name);
    if (found) return found;
    const closest = closestName(name, sources.map((source) => source.name));
    const hint = closest === undefined ? `Sources: ${namesOf(sources)}.` : `Did you mean ${closest}?`;
    throw new ToolError(`There is no source ${JSON.stringify(oneLine(name, 100))}. ${hint}`);
  }
  const [only, ...others] = sources.filter(candidates);
  if (!only) throw new ToolError(`No source is writable. Sources: ${namesOf(sources)}.`);
  if (others.length > 0) {
    throw new ToolError(`source must be one of ${namesOf([only, ...others])}, got none.`);
  }
  return only;
}

function namesOf(sources: readonly Source[]): string {
  const names = sources.map(({ name }) => name);
  return names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES).join(", ")}, …` : names.join(", ");
}
