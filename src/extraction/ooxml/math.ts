import type { XmlElement } from "../xml/element.ts";

/** LaTeX accents by the character of `m:acc` (ECMA-376 part 1 §22.1.2.1) or its combining form. */
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ["\u0300", "grave"],
  ["\u0301", "acute"],
  ["\u0302", "hat"],
  ["^", "hat"],
  ["\u0303", "tilde"],
  ["~", "tilde"],
  ["\u0304", "bar"],
  ["\u0305", "overline"],
  ["\u00af", "bar"],
  ["\u0306", "breve"],
  ["\u0307", "dot"],
  ["\u0308", "ddot"],
  ["\u030c", "check"],
  ["\u20d6", "overleftarrow"],
  ["\u20d7", "vec"],
  ["\u20db", "dddot"],
  ["\u23de", "overbrace"],
  ["\u23df", "underbrace"],
]);

/** LaTeX operators by the character of `m:nary` (§22.1.2.70). */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["∑", "\\sum"],
  ["∏", "\\prod"],
  ["∐", "\\coprod"],
  ["∫", "\\int"],
  ["∬", "\\iint"],
  ["∭", "\\iiint"],
  ["∮", "\\oint"],
  ["⋃", "\\bigcup"],
  ["⋂", "\\bigcap"],
  ["⋁", "\\bigvee"],
  ["⋀", "\\bigwedge"],
]);

/** Names of functions that LaTeX has commands for. */
const FUNCTIONS =
  /^(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|lg|exp|lim|limsup|liminf|max|min|sup|inf|det|dim|ker|gcd|arg|deg|Pr)$/;

/**
 * Writes an equation (`m:oMath`, ECMA-376 part 1 §22.1) as LaTeX. Symbols stay Unicode characters, so that search finds
 * them.
 *
 * @returns LaTeX without delimiters.
 */
export function latexOf(equation: XmlElement): string {
  return contentOf(equation).replace(/ {2,}/g, " ").trim();
}

/** Writes the children of an element. */
function contentOf(parent: XmlElement | undefined): string {
  let latex = "";
  for (const element of parent?.elements ?? []) {
    const next = convert(element);
    // A command ends at the first character that is not a letter.
    latex += /\\[a-z]+$/i.test(latex) && /^[a-z]/i.test(next) ? ` ${next}` : next;
  }
  return latex;
}

function convert(element: XmlElement): string {
  const part = (name: string) => contentOf(element.child(`m:${name}`));
  const property = (name: string) => element.path(`m:${element.name.slice(2)}Pr`, `m:${name}`)?.get("m:val");
  switch (element.name) {
    case "m:r":
      return runText(element);
    case "m:f":
      return property("type") === "noBar"
        ? `\\binom{${part("num")}}{${part("den")}}`
        : `\\frac{${part("num")}}{${part("den")}}`;
    case "m:rad": {
      const degree = part("deg");
      return degree === "" ? `\\sqrt{${part("e")}}` : `\\sqrt[${degree}]{${part("e")}}`;
    }
    case "m:sSup":
      return `${base(part("e"))}^{${part("sup")}}`;
    case "m:sSub":
      return `${base(part("e"))}_{${part("sub")}}`;
    case "m:sSubSup":
      return `${base(part("e"))}_{${part("sub")}}^{${part("sup")}}`;
    case "m:sPre":
      return `{}_{${part("sub")}}^{${part("sup")}}${base(part("e"))}`;
    case "m:nary": {
      const char = property("chr") ?? "∫";
      return `${OPERATORS.get(char) ?? char}${limits(part("sub"), part("sup"))} ${part("e")}`;
    }
    case "m:d":
      return delimited(element, property);
    case "m:func": {
      const name = part("fName");
      return `${name}${/[a-z]$/i.test(name) ? " " : ""}${part("e")}`;
    }
    case "m:limLow":
      return `${base(part("e"))}_{${part("lim")}}`;
    case "m:limUpp":
      return `${base(part("e"))}^{${part("lim")}}`;
    case "m:acc":
      return `\\${ACCENTS.get(property("chr") ?? "\u0302") ?? "hat"}{${part("e")}}`;
    case "m:bar":
      return `\\${property("pos") === "top" ? "overline" : "underline"}{${part("e")}}`;
    case "m:groupChr": {
      const command = ACCENTS.get(property("chr") ?? "\u23df");
      return command === undefined ? part("e") : `\\${command}{${part("e")}}`;
    }
    case "m:borderBox":
      return `\\boxed{${part("e")}}`;
    case "m:m":
      return rows("matrix", element.elements.filter(({ name }) => name === "m:mr").map(cells));
    case "m:eqArr":
      return rows(
        "aligned",
        element.elements.filter(({ name }) => name === "m:e").map((row) => contentOf(row)),
      );
    case "m:del":
    case "w:del":
    case "w:moveFrom":
      return "";
    default:
      return /Pr$/.test(element.name) ? "" : contentOf(element);
  }
}

function cells(row: XmlElement): string {
  return row.elements.filter(({ name }) => name === "m:e").map((cell) => contentOf(cell)).join(" & ");
}

function rows(environment: string, lines: readonly string[]): string {
  return `\\begin{${environment}}${lines.join(" \\\\ ")}\\end{${environment}}`;
}

function limits(lower: string, upper: string): string {
  return (lower === "" ? "" : `_{${lower}}`) + (upper === "" ? "" : `^{${upper}}`);
}

/** Writes brackets; an empty one is invisible. */
function delimited(element: XmlElement, property: (name: string) => string | undefined): string {
  const arguments_ = element.elements.filter(({ name }) => name === "m:e").map((argument) =>
    contentOf(argument)
  );
  const bracket = (char: string) => char === "" ? "." : /^[{}]$/.test(char) ? `\\${char}` : char;
  const content = arguments_.join(property("sepChr") ?? "|");
  const open = property("begChr") ?? "(";
  const close = property("endChr") ?? ")";
  // Simple content needs no brackets that grow.
  return /[\\_^]/.test(content) || open === "" || close === ""
    ? `\\left${bracket(open)}${content}\\right${bracket(close)}`
    : `${bracket(open)}${content}${bracket(close)}`;
}

/** Puts braces around a base of several characters. */
function base(latex: string): string {
  return Array.from(latex).length > 1 && !/^(?:\\[a-z]+|[\d.,]+)$/i.test(latex) ? `{${latex}}` : latex;
}

/** Returns the text of a run. Mathematical letters of Unicode become plain ones. */
function runText(run: XmlElement): string {
  const text = run.elements.filter(({ name }) => name === "m:t" || name === "w:t").map((part) => part.text)
    .join("");
  if (FUNCTIONS.test(text.trim())) return `\\${text.trim()}`;
  const plain = text.replace(/[\u{1d400}-\u{1d7ff}]/gu, (char) => char.normalize("NFKC"));
  return plain.replace(/[%#$&]/g, "\\$&");
}
