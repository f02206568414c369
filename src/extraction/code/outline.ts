import type { OutlineEntry } from "../types.ts";
import { type LanguageRules, languageRules } from "./languages.ts";

/** Longer lines are data or minified code. */
const MAX_LINE_CHARS = 500;
/** Maximum level of an entry. */
const MAX_LEVEL = 6;

/** A definition that has not ended. */
interface Scope {
  readonly indent: number;
  readonly level: number;
  readonly isFunction: boolean;
}

/**
 * Returns the functions, classes and methods of source code. Definitions are found line by line by regular
 * expressions, and what is inside of which by indentation, which formatters keep equal to the structure.
 *
 * @param extension Extension of the file, in lower case.
 *
 * @example
 * ```ts
 * import { codeOutline } from "./outline.ts";
 * import { assertEquals } from "@std/assert";
 * const outline = codeOutline("class Pot:\n    def boil(self):\n        pass\n", "py");
 * assertEquals(outline, [
 *   { start: 0, level: 1, title: "class Pot" },
 *   { start: 11, level: 2, title: "def boil" },
 * ]);
 * ```
 */
export function codeOutline(text: string, extension: string): OutlineEntry[] {
  const rules = languageRules(extension);
  if (!rules) return [];
  const outline: OutlineEntry[] = [];
  const scopes: Scope[] = [];
  /** Start of the comments and decorators directly above a line. */
  let leadStart: number | undefined;
  let isComment = false;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const lineStart = start;
    start = end + 1;
    if (end - lineStart > MAX_LINE_CHARS) {
      leadStart = undefined;
      continue;
    }
    const line = text.slice(lineStart, end);
    const code = line.trimStart();
    if (isComment) {
      if (/\*\/|^=end\b|-}|"""\s*$|'''\s*$/.test(code)) isComment = false;
      continue;
    }
    if (code === "") {
      leadStart = undefined;
      continue;
    }
    if (isLead(code)) {
      leadStart ??= lineStart;
      isComment = /^(?:\/\*(?!.*\*\/)|=begin\b|\{-(?!.*-\}))/.test(code);
      continue;
    }
    const indent = widthOf(line.slice(0, line.length - code.length));
    const scope = scopes.findLast((each) => each.indent < indent);
    const found = match(code, rules, scope);
    if (found) {
      while (scopes.length > 0 && scopes.at(-1)!.indent >= indent) scopes.pop();
      const level = Math.min(MAX_LEVEL, (scopes.at(-1)?.level ?? 0) + 1);
      outline.push({ start: leadStart ?? lineStart, level, title: found.title });
      scopes.push({ indent, level, isFunction: found.isFunction });
    }
    leadStart = undefined;
  }
  return outline;
}

/** Whether a line is a comment, a decorator or an attribute, which belong to the definition below. */
function isLead(code: string): boolean {
  return /^(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!define|include|if|else|endif|pragma|undef|error|region|!\[)|--|;;|@(?!interface|implementation|end|property)\w|\[[A-Z]\w*.*\]\s*$|%|=begin\b|\{-|template\s*<[^>]*>\s*$)/
    .test(code);
}

function match(
  code: string,
  { definitions, members = [] }: LanguageRules,
  scope: Scope | undefined,
): { title: string; isFunction: boolean } | undefined {
  const patterns = scope && !scope.isFunction ? [...definitions, ...members] : definitions;
  for (const pattern of patterns) {
    const groups = pattern.exec(code)?.groups;
    const name = groups?.["name"]?.trim();
    const kind = groups?.["kind"]?.toLowerCase();
    // Without a keyword, a definition in a function looks like a call or a local variable.
    if (!name || (kind === undefined && scope?.isFunction)) continue;
    const owner = groups?.["owner"] === undefined ? "" : `${groups["owner"]}.`;
    return {
      title: `${kind === undefined ? "" : `${kind} `}${owner}${name}`.slice(0, 200),
      isFunction: kind === undefined || FUNCTIONS.test(kind),
    };
  }
  return undefined;
}

const FUNCTIONS = /^(?:function|def|defp|defmacro|fn|func|fun|sub|let|macro|#define)$/;

function widthOf(indentation: string): number {
  let width = 0;
  for (const char of indentation) width += char === "\t" ? 4 : 1;
  return width;
}
