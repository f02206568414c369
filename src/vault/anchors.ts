/** Maximum number of anchors of a document. A document with more has unknown ones. */
const MAX_ANCHORS = 2_000;

/** Maximum length of the text of a heading that is compared. */
const MAX_HEADING_CHARS = 500;

/** With the closing marks, which {@linkcode anchorKey} removes. */
const HEADING = /^[ \t>]{0,20}#{1,6}[ \t]+([^ \t\r\n].*)/gm;
const SETEXT_HEADING = /^(?![ \t]*(?:[-=>*+#|]|\d+[.)]))[ \t]{0,3}(\S.{0,300})\n[ \t]{0,3}(?:=+|-+)[ \t]*$/gm;
/** `^block` at the end of a paragraph (Obsidian), `{#id}` after a heading, `id="…"` or `name="…"` of HTML. */
const EXPLICIT =
  /(?:^|[ \t])\^([\w-]{1,100})[ \t]*$|\{#([\w.:-]{1,100})[^{}\n]{0,100}\}|\b(?:id|name)=["']([^"'\n]{1,100})["']/gm;

/**
 * Returns the anchors that a link can have into a Markdown text: its headings, blocks and ids, each in the form of
 * {@linkcode anchorKey}.
 *
 * @param masked Text after `maskCode`.
 * @returns `undefined` if there are too many to check.
 */
export function anchorsOf(masked: string): ReadonlySet<string> | undefined {
  const anchors = new Set<string>();
  for (const pattern of [HEADING, SETEXT_HEADING]) {
    for (const [, title = ""] of masked.matchAll(pattern)) {
      anchors.add(anchorKey(title.slice(0, MAX_HEADING_CHARS).replace(/\{#[^{}]*\}[ \t#]*$/, "")));
      if (anchors.size > MAX_ANCHORS) return undefined;
    }
  }
  for (const [, block, id, attribute] of masked.matchAll(EXPLICIT)) {
    anchors.add(anchorKey(block ?? id ?? attribute ?? ""));
    if (anchors.size > MAX_ANCHORS) return undefined;
  }
  return anchors;
}

/**
 * Normalizes a heading, or the anchor of a link to it, to the letters and digits: renderers turn headings into ids in
 * different ways (`Set **up** it` is `#set-up-it` on GitHub and `#Set up it` in Obsidian).
 */
function anchorKey(anchor: string): string {
  return anchor.replace(/\]\([^()\s]*\)/g, "").normalize("NFKD").toLowerCase().replace(
    /[^\p{L}\p{N}]+/gu,
    "",
  );
}

/**
 * Whether a text has the anchor of a link. `Plan#Risks#Open` names a heading below another one: the last one counts.
 * Renderers number equal headings (`#setup-1`), and `#L10` or `#:~:text=` are no headings.
 */
export function hasAnchor(anchors: ReadonlySet<string>, anchor: string): boolean {
  if (/^(?:L\d+(?:-L?\d+)?$|:~:|page=|t=)/.test(anchor)) return true;
  const key = anchorKey(anchor.split("#").at(-1) ?? "");
  return key === "" || key === "top" || anchors.has(key) ||
    anchors.has(anchorKey(anchor.replace(/-\d+$/, "")));
}
