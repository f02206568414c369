import { z } from "zod";
import { describeSettings, type SettingRow } from "../src/config.ts";
import { type Tool, tools } from "../src/tools/mod.ts";

/** The sections of README.md that the code writes, by the name in their marker. */
const SECTIONS: Record<string, () => string> = { config: configTable, tools: toolTable };

/** README.md with its generated sections written anew. What stands outside the markers stays as it is. */
export function withGeneratedSections(readme: string): string {
  let result = readme;
  for (const [name, render] of Object.entries(SECTIONS)) {
    const [open, close] = [`<!-- generated:${name} -->\n`, "<!-- /generated -->"];
    const start = result.indexOf(open);
    const end = result.indexOf(close, start);
    if (start < 0 || end < 0) {
      throw new Error(`README.md must have the lines "${open.trim()}" and "${close}", in this order`);
    }
    // Aligned columns would change every line when one grows, so the formatter leaves them alone.
    const section = `<!-- deno-fmt-ignore-start -->\n\n${render()}\n<!-- deno-fmt-ignore-end -->\n`;
    result = result.slice(0, start + open.length) + section + result.slice(end);
  }
  return result;
}

function configTable(): string {
  return table(["Variable", "Default", "Read by", "What it sets"], describeSettings().map(configRow));
}

function configRow({ name, fallback, inImage, help, secret, roles }: SettingRow): string[] {
  const unset = fallback === undefined ? "" : `\`${fallback}\``;
  const image = inImage === undefined ? "" : `${unset ? "; " : ""}\`${inImage}\` in the image`;
  return [
    `\`${name}\``,
    unset + image,
    roles.join(", "),
    help + (secret ? ` Also as \`${name}_FILE\`.` : ""),
  ];
}

function toolTable(): string {
  return table(
    ["Tool", "Input", "What it does"],
    tools.map((tool) => [`\`${tool.name}\``, inputs(tool), purpose(tool)]),
  );
}

/** The arguments of a tool: `query`, `collection?`, `top?` = 10. */
function inputs({ input }: Tool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "input" });
  const shown = Object.entries(properties).map(([name, schema]) => {
    const fallback = typeof schema === "object" ? schema.default : undefined;
    return `\`${name}${required.includes(name) ? "" : "?"}\`` +
      (fallback === undefined ? "" : ` = ${fallback}`);
  });
  return shown.length > 0 ? shown.join(", ") : "none";
}

/** The first sentence of a tool's description. */
function purpose({ description }: Tool): string {
  return /^.*?\.(?=\s|$)/s.exec(description)?.[0] ?? description;
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll(/\s+/g, " ");
}
