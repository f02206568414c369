import { oneLine } from "../whitespace.ts";
import type { XmlElement } from "../xml/element.ts";

/** LaTeX commands for accents above a MathML base. */
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ["^", "hat"],
  ["\u02c6", "hat"],
  ["~", "tilde"],
  ["\u02dc", "tilde"],
  ["\u00af", "bar"],
  ["\u203e", "overline"],
  ["\u2192", "vec"],
  ["\u20d7", "vec"],
  ["\u02d9", "dot"],
  ["\u00a8", "ddot"],
]);

/** Operators that LaTeX has commands for; other symbols stay Unicode characters. */
const OPERATORS: ReadonlyMap<string, string> = new Map([["∑", "\\sum"], ["∏", "\\prod"], ["∫", "\\int"]]);

/** Writes MathML (presentation markup, MathML 3 §3) as LaTeX without delimiters. */
export function mathmlToLatex(root: XmlElement): string {
  return oneLine(convert(root));
}

function convert(element: XmlElement): string {
  const name = element.name.replace(/^.*:/, "");
  const children = element.elements;
  const part = (index: number) => children[index] ? convert(children[index]) : "";
  const base = () => {
    const latex = part(0).trim();
    return Array.from(latex).length > 1 && !/^(?:\\[a-z]+|[\d.,]+)$/i.test(latex) ? `{${latex}}` : latex;
  };
  switch (name) {
    case "annotation":
    case "annotation-xml":
      return "";
    case "mo": {
      const operator = element.text.trim().replace(/[\u2061-\u2064]/g, "");
      return OPERATORS.get(operator) ?? operator.replace(/[{}]/g, "\\$&");
    }
    case "mi":
    case "mn":
      return element.text.trim();
    case "mtext":
    case "ms":
      return element.text;
    case "mspace":
      return " ";
    case "mfrac":
      return `\\frac{${part(0)}}{${part(1)}}`;
    case "msqrt":
      return `\\sqrt{${children.map(convert).join("")}}`;
    case "mroot":
      return `\\sqrt[${part(1)}]{${part(0)}}`;
    case "msup":
      return `${base()}^{${part(1)}}`;
    case "msub":
    case "munder":
      return `${base()}_{${part(1)}}`;
    case "mover": {
      const accent = ACCENTS.get(children[1]?.text.trim() ?? "");
      return accent === undefined ? `${base()}^{${part(1)}}` : `\\${accent}{${part(0)}}`;
    }
    case "msubsup":
    case "munderover":
      return `${base()}_{${part(1)}}^{${part(2)}}`;
    case "mfenced": {
      const content = children.map(convert).join(element.get("separators") ?? ",");
      return `${element.get("open") ?? "("}${content}${element.get("close") ?? ")"}`;
    }
    case "mtable":
      return `\\begin{matrix}${children.map(convert).join(" \\\\ ")}\\end{matrix}`;
    case "mtr":
      return children.map(convert).join(" & ");
    default:
      return joined(children.map(convert));
  }
}

/** Separates a command from a letter after it. */
function joined(parts: readonly string[]): string {
  let latex = "";
  for (const part of parts) latex += /\\[a-z]+$/i.test(latex) && /^[a-z]/i.test(part) ? ` ${part}` : part;
  return latex;
}
