import { displayPath } from "../contained_files.ts";
import { noText } from "../errors.ts";
import { convertHtml } from "../formats/html.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import { definedFields, internetDate } from "../properties.ts";
import { cleanTitle } from "../title.ts";
import type { ExtractedText, ExtractionContext } from "../types.ts";
import { oneLine } from "../whitespace.ts";

/** A message in the terms that EML and MSG share. */
export interface MailMessage {
  readonly subject: string | undefined;
  /** Senders and recipients as `Name <address>`. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  /** As the message has it. */
  readonly date: string | undefined;
  readonly messageId: string | undefined;
  readonly inReplyTo: string | undefined;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly attachments: readonly MailAttachment[];
}

/** A file that is attached to a message. */
export interface MailAttachment {
  readonly name: string;
  readonly contentType: string | undefined;
  /** Whether the HTML of the message shows it. */
  readonly isInline: boolean;
  /** Unpacks it. */
  readonly read: () => Uint8Array<ArrayBuffer>;
}

/** Attachments without text for a reader: signatures, keys and calendar copies of what the message says. */
const SKIPPED_TYPES =
  /^(?:application\/(?:x-)?pkcs7-(?:signature|mime)|application\/pgp-(?:signature|keys|encrypted)|text\/rfc822-headers|message\/delivery-status)\b/i;
/** Maximum number of attachments that are named in the text and the metadata. */
const MAX_NAMED = 100;
/** Maximum number of recipients in the text and the metadata. */
const MAX_ADDRESSES = 200;
/** Maximum length of a header in the text and the metadata, in UTF-16 code units. */
const MAX_HEADER_CHARS = 500;

/**
 * Returns the text of a message: its subject as a heading, a block of headers, and the body. Passes its attachments to
 * `onFile`; without `fileLimits`, a warning names them.
 */
export async function messageText(message: MailMessage, context: ExtractionContext): Promise<ExtractedText> {
  const { name, fileLimits } = context;
  const attachments = message.attachments.filter(isDocument);
  const metadata = mailMetadata(message, attachments);
  const body = bodyText(message, name);
  const subject = headerLine(message.subject);
  const headers = [
    ["From", metadata.from],
    ["To", metadata.to],
    ["Cc", metadata.cc],
    ["Date", metadata.date],
    ["Attachments", metadata.attachments],
  ].flatMap(([label, value]) => value === undefined ? [] : [`${label}: ${[value].flat().join(", ")}`]);
  const parts = [subject === undefined ? "" : `# ${subject}`, headers.join("\n"), body];
  const text = normalizeText(parts.filter((part) => part !== "").join("\n\n"));
  if (body === "" && subject === undefined && attachments.length === 0) {
    throw noText(
      name,
      "the message has neither a subject nor a text",
      "check that it opens in a mail program",
    );
  }
  checkLength(text.length, context);
  for (const each of fileLimits ? attachments : []) {
    await context.onFile({
      path: each.name,
      ...(each.contentType !== undefined && { contentType: each.contentType }),
      bytes: each.read(),
    });
  }
  return {
    docType: "email",
    title: cleanTitle(subject),
    text: `${text}\n`,
    markup: "markdown",
    pageStarts: undefined,
    metadata,
    tags: [],
    ...(!fileLimits && attachments.length > 0 && { warnings: [notRead(metadata.attachments ?? [])] }),
  };
}

function isDocument({ name, contentType = "", isInline }: MailAttachment): boolean {
  return !isInline && !SKIPPED_TYPES.test(contentType) && !/^smime\.p7[sm]$/i.test(name);
}

function notRead(names: readonly string[]): string {
  return `The attachments were not read: ${
    names.map(displayPath).join(", ")
  }. Save them as files, or add the message ` +
    "with 'kb-mcp add'.";
}

/** Headers as metadata: the fields that all formats share. */
function mailMetadata(message: MailMessage, attachments: readonly MailAttachment[]) {
  const list = (values: readonly (string | undefined)[], max: number): string[] | undefined => {
    const lines = values.slice(0, max).flatMap((value) => headerLine(value) ?? []);
    return lines.length === 0 ? undefined : lines;
  };
  const fields = {
    from: list(message.from, MAX_ADDRESSES)?.join(", "),
    to: list(message.to, MAX_ADDRESSES),
    cc: list(message.cc, MAX_ADDRESSES),
    date: internetDate(message.date),
    message_id: headerLine(message.messageId),
    in_reply_to: headerLine(message.inReplyTo),
    attachments: list(attachments.map(({ name }) => name), MAX_NAMED),
  };
  return definedFields<unknown>(fields) as {
    [field in keyof typeof fields]?: NonNullable<typeof fields[field]>;
  };
}

/** Returns a header on one line, cut; undefined if it is empty. */
function headerLine(text: string | undefined): string | undefined {
  const line = oneLine(normalizeText((text ?? "").slice(0, 4 * MAX_HEADER_CHARS)));
  return line === "" ? undefined : line.slice(0, MAX_HEADER_CHARS).toWellFormed();
}

/** A plain text is a stub if the HTML has this many times its words. */
const STUB_FACTOR = 3;
/** Maximum length of a stub such as "This message needs an HTML viewer", in UTF-16 code units. */
const MAX_STUB_CHARS = 500;

/** Returns the plain text of the body, or the converted HTML where the plain text is missing or only a stub. */
function bodyText({ text = "", html = "" }: MailMessage, name: string): string {
  const plain = normalizeText(text).trim();
  if (plain.length > MAX_STUB_CHARS || html.trim() === "") return plain;
  let converted: string;
  try {
    converted = convertHtml(html, { name }).text.trim();
  } catch (error) {
    if (plain !== "") return plain;
    throw error;
  }
  return countWords(converted) > STUB_FACTOR * countWords(plain) ? converted : plain;
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
