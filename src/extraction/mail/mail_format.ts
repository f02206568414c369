/** Headers that only mail programs write (RFC 5322, RFC 2045). */
const MAIL_HEADERS = new Set(
  "received return-path mime-version message-id delivered-to x-mailer x-original-to dkim-signature content-transfer-encoding"
    .split(" "),
);
/** Headers that a message has, and that people also write into notes. */
const COMMON_HEADERS = new Set("from to subject date cc reply-to".split(" "));

/**
 * Detects an e-mail or a saved web page by the headers at its start, or by its extension.
 *
 * @param head Start of the file, one byte per character.
 * @returns `undefined` for other files.
 */
export function mailFormat(head: string, extension: string): "eml" | "mhtml" | undefined {
  if (extension === "eml" || (extension === "mbox" && head.startsWith("From "))) return "eml";
  const names = headerNames(head);
  const isMail =
    names.some((name) => MAIL_HEADERS.has(name)) && names.some((name) => COMMON_HEADERS.has(name)) ||
    names.includes("mime-version");
  const isArchive = /^snapshot-content-location:|^from: *"?<?saved by /im.test(head);
  if (extension === "mht" || extension === "mhtml") return "mhtml";
  if (!isMail) return undefined;
  return isArchive ? "mhtml" : "eml";
}

/** Returns the names of the headers at the start, in lower case; none unless the first lines are headers. */
function headerNames(head: string): string[] {
  // Files of mbox start with a line of their own.
  const lines = head.replace(/^(?:\xef\xbb\xbf)?(?:From \S+ [^\r\n]{10,80}\r?\n)?/, "").split(/\r?\n/);
  const names: string[] = [];
  for (const [at, line] of lines.entries()) {
    const name = /^([A-Za-z][A-Za-z0-9-]{1,60}):/.exec(line)?.[1];
    if (name !== undefined) names.push(name.toLowerCase());
    else if (line === "" || !(at > 0 && /^[ \t]/.test(line))) {
      // The last line of the head may be cut.
      if (line !== "" && at < lines.length - 1) return [];
      break;
    }
  }
  return names;
}
