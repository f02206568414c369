/**
 * `deno task docs`: rewrites the generated sections of the documentation.
 *
 * A section lies between `<!-- generated:NAME -->` and `<!-- /generated -->`; the text around it is left alone.
 *
 * @module
 */
import { z } from "zod";
import { commandTable } from "./command_docs.ts";
import { describeSettings, settingFlag, type SettingRow } from "../src/config/mod.ts";
import { ERROR_STATUS, FILE_FORMATS, routes } from "../src/contract/mod.ts";
import { type Tool, tools } from "../src/tools/mod.ts";

/** Generated sections by file, then by the name in their marker. */
export const GENERATED: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  "docs/cli.md": { commands: commandTable },
  "docs/configuration.md": { config: configTable },
  "docs/engine-api.md": { routes: routeTable, errors: errorTable },
  "docs/formats.md": { formats: formatTable },
  "docs/tools.md": { tools: toolTable },
};

/**
 * Returns a document with its generated sections rewritten.
 *
 * @param path A key of {@linkcode GENERATED}.
 * @throws {Error} When a marker is missing.
 */
export function withGeneratedSections(path: string, text: string): string {
  let result = text;
  for (const [name, render] of Object.entries(GENERATED[path] ?? {})) {
    const [open, close] = [`<!-- generated:${name} -->\n`, "<!-- /generated -->"];
    const start = result.indexOf(open);
    const end = result.indexOf(close, start);
    if (start < 0 || end < 0) {
      throw new Error(`${path} must contain the lines "${open.trim()}" and "${close}", in this order`);
    }
    // The formatter would align the columns, and then one longer cell changes every line.
    const section = `<!-- deno-fmt-ignore-start -->\n\n${render()}\n<!-- deno-fmt-ignore-end -->\n`;
    result = result.slice(0, start + open.length) + section + result.slice(end);
  }
  return result;
}

function configTable(): string {
  return table(["Variable", "Flag", "Default", "Commands", "Description"], describeSettings().map(configRow));
}

function configRow({ name, default: value, imageDefault, help, secret, roles }: SettingRow): string[] {
  const unset = value === undefined ? "" : `\`${value}\``;
  const image = imageDefault === undefined ? "" : `${unset ? "; " : ""}\`${imageDefault}\` in the image`;
  return [
    `\`${name}\``,
    flags({ name, secret, roles }),
    unset + image,
    roles.join(", "),
    help + (secret ? ` Also as \`${name}_FILE\`.` : ""),
  ];
}

/** Returns the flag of a setting, and that in `kb-mcp engine` if it is another one. */
function flags({ name, secret, roles }: Pick<SettingRow, "name" | "secret" | "roles">): string {
  const variable = secret ? `${name}_FILE` : name;
  const [flag, ownFlag] = [settingFlag(variable, "serve"), settingFlag(variable, "engine")];
  return `\`${flag}\`` +
    (flag === ownFlag || !roles.includes("engine") ? "" : `; \`${ownFlag}\` in \`engine\``);
}

function routeTable(): string {
  return table(
    ["Call", "Description", "Status"],
    Object.values(routes).map(({ method, path, summary, status }) => [
      `\`${method} ${path}\``,
      summary,
      String(status),
    ]),
  );
}

function errorTable(): string {
  return table(
    ["`code`", "Status"],
    Object.entries(ERROR_STATUS).map(([code, status]) => [`\`${code}\``, String(status)]),
  );
}

function formatTable(): string {
  return table(
    ["Format", "Extensions", "`doc_type`", "Added with a folder"],
    FILE_FORMATS.map(({ name, extensions, docType, inFolders }) => [
      name,
      extensions.map((extension) => `.${extension}`).join(" "),
      docType === null ? "that of each file in it" : `\`${docType}\``,
      inFolders ? "yes" : "no",
    ]),
  );
}

function toolTable(): string {
  return table(
    ["Tool", "Scope", "Input", "Description"],
    tools.map((tool) => [
      `\`${tool.name}\``,
      `\`${tool.scope}\``,
      inputs(tool),
      firstSentence(tool.description),
    ]),
  );
}

/** Formats the arguments of a tool: `query`, `collection?`, `top?` = 10. */
function inputs({ input }: Tool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "input" });
  const shown = Object.entries(properties).map(([name, schema]) => {
    const fallback = typeof schema === "object" ? schema.default : undefined;
    return `\`${name}${required.includes(name) ? "" : "?"}\`` +
      (fallback === undefined ? "" : ` = ${fallback}`);
  });
  return shown.length > 0 ? shown.join(", ") : "none";
}

function firstSentence(description: string): string {
  return /^.*?\.(?=\s|$)/s.exec(description)?.[0] ?? description;
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll(/\s+/g, " ");
}

if (import.meta.main) {
  for (const path of Object.keys(GENERATED)) {
    await Deno.writeTextFile(path, withGeneratedSections(path, await Deno.readTextFile(path)));
  }
}
