/**
 * Content lines, of which iCalendar (RFC 5545 §3.1) and vCard (RFC 6350 §3.2) consist: `NAME;PARAM=value:value`.
 *
 * @module
 */

/** A content line. Names are in upper case. */
export interface ContentLine {
  /** Group of a vCard's properties: `item1` of `item1.TEL`; empty without one. */
  readonly group: string;
  readonly name: string;
  /** Values of the parameters. A value without a name is a type, as in vCard 2.1. */
  readonly params: ReadonlyMap<string, readonly string[]>;
  /** Value with its escapes. */
  readonly value: string;
}

/** Maximum number of parameters of a line. */
const MAX_PARAMS = 100;
const NAME = /^(?:([A-Za-z0-9-]{1,100})\.)?([A-Za-z0-9-]{1,100})(?=[;:])/;
const PARAM = /;([A-Za-z0-9-]{1,100})(?==|[;:])/y;
const PARAM_VALUE = /[=,](?:"([^"\n]*)"|([^";:,\n]*))/y;

/** Parses a line; undefined if it is not a content line. */
export function parseLine(line: string): ContentLine | undefined {
  const head = NAME.exec(line);
  if (!head) return undefined;
  const params = new Map<string, string[]>();
  let at = head[0].length;
  for (let count = 0; line[at] === ";" && count < MAX_PARAMS; count++) {
    PARAM.lastIndex = at;
    const name = PARAM.exec(line)?.[1]?.toUpperCase();
    if (name === undefined) return undefined;
    at = PARAM.lastIndex;
    const values: string[] = [];
    for (;;) {
      PARAM_VALUE.lastIndex = at;
      const found = line[at] === "=" || line[at] === "," ? PARAM_VALUE.exec(line) : null;
      if (!found) break;
      values.push(unescapeParam(found[1] ?? found[2] ?? ""));
      at = PARAM_VALUE.lastIndex;
    }
    const [key, added] = values.length === 0 ? ["TYPE", [name]] : [name, values];
    params.set(key, [...params.get(key) ?? [], ...added].slice(0, MAX_PARAMS));
  }
  if (line[at] !== ":") return undefined;
  return { group: head[1] ?? "", name: head[2]!.toUpperCase(), params, value: line.slice(at + 1) };
}

/** Decodes the escapes of parameters (RFC 6868). */
function unescapeParam(value: string): string {
  return value.replace(/\^([n'^])/g, (_, char: string) => char === "n" ? "\n" : char === "'" ? '"' : "^");
}

/** Returns a text value without its escapes (RFC 5545 §3.3.11, RFC 6350 §3.4). */
export function unescapeText(value: string): string {
  return value.replace(/\\([^])/g, (_, char: string) => char === "n" || char === "N" ? "\n" : char);
}

/** Splits a value at a separator that is not escaped, and unescapes its parts. */
export function splitText(value: string, separator: ";" | ","): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < value.length; at++) {
    if (value[at] === "\\") at++;
    else if (value[at] === separator) {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(value.slice(start));
  return parts.map((part) => unescapeText(part).trim());
}

/**
 * Joins folded lines. Works on bytes, since programs also fold within a character.
 *
 * @param options.keepsSpace Whether the space that starts a continuation belongs to the text, and a line that ends
 * with `=` continues as quoted-printable: vCard 2.1.
 */
export function unfold(
  bytes: Uint8Array<ArrayBuffer>,
  { keepsSpace = false }: { readonly keepsSpace?: boolean } = {},
): Uint8Array<ArrayBuffer> {
  const output = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    const end = byte === CR && bytes[at + 1] === LF
      ? at + 2
      : byte === LF || byte === CR
      ? at + 1
      : undefined;
    const isFolded = end !== undefined && (bytes[end] === SPACE || bytes[end] === TAB) &&
      !(keepsSpace && output[length - 1] === EQUALS);
    if (isFolded) at = keepsSpace ? end - 1 : end;
    else output[length++] = byte;
  }
  return output.slice(0, length);
}

const [TAB, LF, CR, SPACE, EQUALS] = [0x09, 0x0a, 0x0d, 0x20, 0x3d];
