/**
 * Fast conversion of manuals to Markdown by regular expressions. It keeps headings, paragraphs, lists and code, and
 * needs no exact structure: the result is a benchmark's text.
 *
 * @module
 */

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  rsquo: "’",
  lsquo: "‘",
  ldquo: "“",
  rdquo: "”",
  para: "",
};

/** Converts an HTML page. */
export function htmlToMarkdown(html: string): string {
  const body = html.slice(Math.max(0, html.search(/<body/i)));
  return body
    .replace(/<(script|style|nav|header|footer|svg|select|form|button|aside)\b[\s\S]*?<\/\1\s*>/gi, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<a\b[^>]*class="(?:headerlink|anchor)"[^>]*>[\s\S]*?<\/a>/gi, "")
    .replace(
      /<h([1-6])\b[^>]*>([\s\S]*?)<\/h\1\s*>/gi,
      (_, level, text) => `\n\n${"#".repeat(level)} ${inline(text)}\n\n`,
    )
    .replace(
      /<pre\b[^>]*>([\s\S]*?)<\/pre\s*>/gi,
      (_, code) => `\n\n\`\`\`\n${code.replace(/<[^>]*>/g, "").trim()}\n\`\`\`\n\n`,
    )
    .replace(/<li\b[^>]*>/gi, "\n- ")
    .replace(/<\/(td|th)\s*>/gi, " ")
    .replace(/<(br|tr|dt|dd)\b[^>]*>/gi, "\n")
    .replace(/<\/?(p|div|ul|ol|dl|table|section|blockquote|article)\b[^>]*>/gi, "\n\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(#x?[\da-f]+|\w+);/gi, entity)
    .replace(/[ \t]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/^- \n+/gm, "- ")
    .replace(/¶/g, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function inline(html: string): string {
  return html.replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim();
}

function entity(whole: string, name: string): string {
  if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
  const code = name[1] === "x" || name[1] === "X" ? parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : "";
}

/** Converts a manual page. */
export function manToMarkdown(roff: string): string {
  return roff
    .replace(/^[.']\\".*\n/gm, "")
    .replace(/^\.SH +"?([^"\n]*)"?.*$/gm, "\n\n## $1\n")
    .replace(/^\.SS +"?([^"\n]*)"?.*$/gm, "\n\n### $1\n")
    .replace(/^\.(PP|P|LP|TP|IP|HP|sp)\b.*$/gm, "\n")
    .replace(/^\.(B|I|BR|IR|BI|RB|RI|IB)\b ?(.*)$/gm, (_, _macro, text) => text.replaceAll('"', ""))
    .replace(/^[.'].*$/gm, "")
    .replace(/\\f[BIRP1-4]|\\f\(..|\\s[-+]?\d|\\&|\\\||\\,|\\\//g, "")
    .replace(/\\\((?:aq|cq)/g, "'")
    .replace(/\\-/g, "-")
    .replace(/\\e/g, "\\")
    .replace(/\\ /g, " ")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Converts Perl's documentation. */
export function podToMarkdown(pod: string): string {
  return pod
    .replace(/^=head(\d) +(.*)$/gm, (_, level, text) => `${"#".repeat(level)} ${text}`)
    .replace(/^=item +(.*)$/gm, "- $1")
    .replace(/^=\w+.*$/gm, "")
    .replace(/[A-Z]<<? ?([^<>]*?) ?>?>/g, "$1")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
