import { cleanTitle } from "./title.ts";

/** Titles that programs and templates write into documents that nobody has named, in the languages of Office. */
const PLACEHOLDERS: readonly RegExp[] = [
  /^(?:untitled|unnamed|unspecified|anonymous|unknown|none|null|undefined|n\/a|no title|titleless)\b[\s._-]*\d*$/,
  // The first heading of a printed manual page.
  /^name$/,
  /^(?:(?:document|report|presentation|paper|article|thesis|book|main|your|my|the|insert|enter|type|add) )*title(?: (?:here|page|goes here|slide))?\s?\d*$/,
  /^(?:(?:new|blank|empty|microsoft|word|scanned|text|office) )*(?:document|presentation|spreadsheet|workbook|worksheet|dokument|documento?|tabelle|book|sheet|slide|mappe|presentación|présentation|präsentation|folie|diapositiva|classeur|feuil|cartel|libro)[\s._-]?\d*$/,
  /^(?:ohne titel|unbenannt|sans titre|sin título|senza titolo|sem título|naamloos|geen titel|bez tytułu|bez názvu|namnlös|uden titel|uten tittel|nimetön|başlıksız|без имени|без названия|無題|无标题|無標題|제목 없음|タイトル)[\s._-]*\d*$/,
  /^(?:microsoft )?(?:power\s?point)?[\s-]*(?:presentation|präsentation|presentatie|presentasjon|-?esitys)$/,
  /^(?:présentation|presentación|presentazione|apresentação|презентация|prezentace|prezentacja|presentació)(?: (?:de|di|do|w|aplikace(?: microsoft)?|programu))? ?(?:microsoft )?power\s?point$/,
  /^power\s?point[\s-]*(?:プレゼンテーション|演示文稿|簡報|프레젠테이션|sunusu|bemutató)$/,
  /^click to (?:edit|add) (?:the )?(?:master )?title(?: (?:style|text|text format))?$/,
  /^(?:microsoft (?:word|powerpoint|excel|publisher|visio|outlook)|powerpoint|word|excel)(?: - .*)?$/,
  /^(?:cam\s?scanner|scan(?:ned)?|scanned (?:image|page)s?|adobe scan|image|img|dsc|fax|full page photo|layout|print|printout|output|temp|tmp|test|doc|file|pdf|draft|normal|latex|index|microsoft)[\s._:\/-]*[\d\s._:\/-]*$/,
];

/** A name of a file: it ends with the extension of a program that writes documents. */
const FILE_NAME =
  /\.(?:docx?|docm|dotx?|rtf|odt|ott|pptx?|ppsx?|odp|xlsx?|xlsm|ods|csv|tex|ltx|dvi|ps|eps|indd|qxd|qxp|pub|pmd|p65|fm|book|pages|key|numbers|pdf|md|txt|html?|xml|xhtml|dwg|vsdx?|ai|cdr|svg|tmp|wpd|sxw|png|jpe?g|tiff?|ipynb|epub)$/i;

/** An address or a path: `C:\Users`, `/home/ann/report`, `file:///x`, `about:blank`. */
const PATH = /^(?:[a-z]:\\|\\\\|~?\/[^\s/]+\/|[a-z][a-z0-9+.-]*:\/\/|about:|file:)/i;

/** A hash or a UUID. */
const HASH = /^\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$|^[0-9a-f]{16,}$/i;

/**
 * Returns the title that a document gives itself, or `undefined` if that is a placeholder of the program or template
 * that wrote it, a file name, or no name at all. The caller then tries the largest text of the first page.
 *
 * @param candidate The title in the properties of the document: not trusted, of any type.
 * @param filename Name of the file, with its extension.
 *
 * @example
 * ```ts
 * import { documentTitle } from "./document_title.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(documentTitle("Care of  Plants", "plants.pdf"), "Care of Plants");
 * assertEquals(documentTitle("Microsoft Word - plants.doc", "plants.pdf"), undefined);
 * ```
 */
export function documentTitle(candidate: unknown, filename: string | undefined): string | undefined {
  const title = cleanTitle(candidate);
  if (title === undefined || !isName(title)) return undefined;
  const bare = title.replace(/^[[(<{"'«]+|[\])>}"'»]+$/g, "").trim().toLowerCase();
  if (PLACEHOLDERS.some((placeholder) => placeholder.test(bare))) return undefined;
  if (FILE_NAME.test(bare) || PATH.test(title) || HASH.test(bare)) return undefined;
  return isNamedLike(title, filename) ? undefined : title;
}

/** Whether a text has letters, more than one character, and no characters that could not be decoded. */
function isName(title: string): boolean {
  if (/[\ufffd\ue000-\uf8ff]/.test(title)) return false;
  return /\p{L}/u.test(title) && (title.length > 2 || /\p{Lo}/u.test(title) || /\p{L}{2}/u.test(title));
}

/**
 * Whether a title is an identifier instead of words (`annual_report-v2`), or a single word that is exactly the name of
 * the file: `FAQ` in `faq.html` was written by a person.
 */
function isNamedLike(title: string, filename: string | undefined): boolean {
  if (/\s/.test(title)) return filename !== undefined && title === filename;
  if (/^[\w.-]*[a-z0-9]_[\w.-]*$/i.test(title)) return true;
  const stem = (filename ?? "").replace(/^.*[\\/]/, "").replace(/\.[^.]{1,8}$/, "");
  return /^[\x20-\x7e]+$/.test(title) && title === stem;
}
