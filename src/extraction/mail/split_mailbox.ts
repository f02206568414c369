/** Line before each message of a mailbox: sender and time, which has a colon. */
const SEPARATOR = /^From \S.{0,200}\d:\d\d/;
/** Maximum length of such a line that is read, in bytes. */
const MAX_LINE_BYTES = 300;
/** Start of a header, or of a separator that a mail program has quoted: the line after a sentence is neither. */
const HEADER = /^(?:[!-9;-~]+[ \t]*:|>From )/;
/** Maximum length of the name of a header that is read, in bytes. */
const MAX_HEADER_NAME_BYTES = 100;

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const FROM = Uint8Array.from("From ", (char) => char.charCodeAt(0));
const QUOTE = ">".charCodeAt(0);

/**
 * Returns the messages of a mailbox (RFC 4155, mbox): each follows a line `From SENDER TIME` at the start or after an
 * empty line, and starts with a header. A line `>From` of a message loses the mark that its mail program has added.
 *
 * @returns Undefined for a file that does not start with such a line.
 */
export function splitMailbox(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] | undefined {
  if (!isSeparator(bytes, 0)) return undefined;
  const messages: Uint8Array<ArrayBuffer>[] = [];
  for (let at: number | undefined = 0; at !== undefined;) {
    const start: number = endOfLine(bytes, at);
    at = nextSeparator(bytes, start);
    messages.push(unquoted(bytes.subarray(start, at ?? bytes.length)));
  }
  return messages;
}

/** Returns the offset of the next line between messages, or undefined. */
function nextSeparator(bytes: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    const isAfterEmptyLine = bytes[at - 1] === NEWLINE ||
      (bytes[at - 1] === RETURN && bytes[at - 2] === NEWLINE);
    if (isAfterEmptyLine && isSeparator(bytes, at + 1)) return at + 1;
  }
  return undefined;
}

function isSeparator(bytes: Uint8Array, at: number): boolean {
  if (!isFrom(bytes, at)) return false;
  const end = endOfLine(bytes, at);
  return SEPARATOR.test(ascii(bytes, at, Math.min(end, at + MAX_LINE_BYTES))) &&
    HEADER.test(ascii(bytes, end, end + MAX_HEADER_NAME_BYTES));
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

function isFrom(bytes: Uint8Array, at: number): boolean {
  return FROM.every((byte, index) => bytes[at + index] === byte);
}

/** Returns the offset after a line and its end. */
function endOfLine(bytes: Uint8Array, at: number): number {
  const end = bytes.indexOf(NEWLINE, at);
  return end < 0 ? bytes.length : end + 1;
}

/** Returns a message without one mark of each line that starts with `>From `, `>>From ` and so on. */
function unquoted(message: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const marks: number[] = [];
  for (let at = message.indexOf(QUOTE); at >= 0; at = message.indexOf(QUOTE, at + 1)) {
    if (at > 0 && message[at - 1] !== NEWLINE) continue;
    let end = at + 1;
    while (message[end] === QUOTE) end++;
    if (isFrom(message, end)) marks.push(at);
    at = end - 1;
  }
  if (marks.length === 0) return message;
  const kept = new Uint8Array(message.length - marks.length);
  let length = 0;
  let from = 0;
  for (const mark of [...marks, message.length]) {
    kept.set(message.subarray(from, mark), length);
    length += mark - from;
    from = mark + 1;
  }
  return kept;
}
