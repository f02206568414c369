/** Where the text of a group goes. `skip` is dropped. */
export type Destination =
  | "body"
  | "skip"
  | "fonts"
  | "styles"
  | "info"
  | "footnote"
  | "annotation"
  | "annotation_author"
  | "header"
  | "box"
  | "label"
  | "instruction"
  | `property:${string}`;

/** Destinations of control words that start a group; other words after `\*` are skipped. */
export const DESTINATIONS: ReadonlyMap<string, Destination> = new Map<string, Destination>([
  ["fonttbl", "fonts"],
  ["stylesheet", "styles"],
  ["info", "info"],
  ["title", "property:title"],
  ["subject", "property:subject"],
  ["author", "property:author"],
  ["keywords", "property:keywords"],
  ["creatim", "property:created"],
  ["revtim", "property:modified"],
  ["generator", "property:generator"],
  ["footnote", "footnote"],
  ["annotation", "annotation"],
  ["atnauthor", "annotation_author"],
  ["header", "header"],
  ["headerl", "header"],
  ["headerr", "header"],
  ["headerf", "header"],
  ["footer", "header"],
  ["footerl", "header"],
  ["footerr", "header"],
  ["footerf", "header"],
  ["shptxt", "box"],
  ["pntext", "label"],
  ["listtext", "label"],
  ["fldinst", "instruction"],
  // Containers whose groups have text.
  ["shpinst", "body"],
  ["ud", "body"],
  ["moMath", "body"],
  ["moMathPara", "body"],
  ["shppict", "body"],
  ["bkmkstart", "skip"],
  ["bkmkend", "skip"],
  ["colortbl", "skip"],
  ["filetbl", "skip"],
  ["pict", "skip"],
  ["nonshppict", "skip"],
  ["shprslt", "skip"],
  ["mmathPict", "skip"],
  ["objdata", "skip"],
  ["objclass", "skip"],
  ["sp", "skip"],
  ["upr", "body"],
  ["nonesttables", "skip"],
  ["xe", "skip"],
  ["tc", "skip"],
  ["tcn", "skip"],
  ["rxe", "skip"],
  ["ftnsep", "skip"],
  ["ftnsepc", "skip"],
  ["ftncn", "skip"],
  ["aftnsep", "skip"],
  ["aftnsepc", "skip"],
  ["aftncn", "skip"],
  ["comment", "skip"],
  ["operator", "skip"],
  ["company", "skip"],
  ["manager", "skip"],
  ["category", "skip"],
  ["doccomm", "skip"],
  ["hlinkbase", "skip"],
  ["printim", "skip"],
  ["buptim", "skip"],
  ["pgdsctbl", "skip"],
  ["revtbl", "skip"],
  ["private", "skip"],
  ["template", "skip"],
  ["panose", "skip"],
  ["falt", "skip"],
  ["atnid", "skip"],
  ["atntime", "skip"],
  ["atndate", "skip"],
  ["atnparent", "skip"],
]);

/** Characters of control words. */
export const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ["tab", "\t"],
  ["line", "\n"],
  ["softline", "\n"],
  ["lbr", "\n"],
  ["emdash", "—"],
  ["endash", "–"],
  ["emspace", " "],
  ["enspace", " "],
  ["qmspace", " "],
  ["bullet", "•"],
  ["lquote", "‘"],
  ["rquote", "’"],
  ["ldblquote", "“"],
  ["rdblquote", "”"],
  ["zwj", "\u200d"],
  ["zwnj", "\u200c"],
  ["ltrmark", ""],
  ["rtlmark", ""],
]);
