import { parseCalendar } from "../content_lines/calendar.ts";
import { unfold } from "../content_lines/content_lines.ts";
import { writeEntries } from "../content_lines/write_entries.ts";
import { decodeText } from "../encoding/decode.ts";
import { markedUnicode, unmarkedUnicode } from "../encoding/unicode.ts";
import { damaged, ExtractionError, noText } from "../errors.ts";
import { MAX_MAIL_DEPTH, MAX_MAIL_HEADER_BYTES } from "../limits.ts";
import { type MailAttachment, type MailMessage, messageText } from "../mail/message.ts";
import { splitMailbox } from "../mail/split_mailbox.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import { convertHtml } from "./html.ts";
import type { ExtractedText, ExtractionContext, OutlineEntry, SourceFile } from "../types.ts";

/**
 * Reads an e-mail (RFC 5322 with MIME), or a mailbox with several (mbox), each of which is a section. Messages in a
 * message are attachments.
 */
export async function extractEml(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const bytes = await toAscii(file.bytes);
  const [first = bytes, ...others] = splitMailbox(bytes) ?? [];
  if (others.length === 0) return await readMessage(first, context);
  return await readMailbox([first, ...others], context);
}

async function readMessage(
  bytes: Uint8Array<ArrayBuffer>,
  context: ExtractionContext,
): Promise<ExtractedText> {
  const { default: PostalMime } = await import("postal-mime");
  let message: MailMessage;
  try {
    const mail = await PostalMime.parse(bytes, {
      attachmentEncoding: "arraybuffer",
      forceRfc822Attachments: true,
      maxNestingDepth: MAX_MAIL_DEPTH,
      maxHeadersSize: MAX_MAIL_HEADER_BYTES,
    });
    message = {
      subject: mail.subject,
      from: [mail.from].flatMap(addresses),
      to: (mail.to ?? []).flatMap(addresses),
      cc: (mail.cc ?? []).flatMap(addresses),
      date: mail.date,
      messageId: mail.messageId,
      inReplyTo: mail.inReplyTo,
      html: mail.html,
      ...await textAndAttachments(mail, context),
    };
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw damaged(context.name, "it is a damaged e-mail, or nested too deeply", error);
  }
  return await messageText(message, context);
}

/** Reads the messages of a mailbox. One that cannot be read is left out with a warning. */
async function readMailbox(
  messages: readonly Uint8Array<ArrayBuffer>[],
  context: ExtractionContext,
): Promise<ExtractedText> {
  const texts: string[] = [];
  const outline: OutlineEntry[] = [];
  const warnings = new Set<string>();
  let length = 0;
  for (const message of messages) {
    try {
      const { title, text, metadata, warnings: doubts = [] } = await readMessage(message, context);
      // Not by headings: a message may have none, or several, or an open fence.
      outline.push({
        start: length + texts.length,
        level: 1,
        title: title ?? String(metadata?.["from"] ?? ""),
      });
      // The text would be one without end otherwise.
      checkLength(length += text.length, context);
      texts.push(text);
      if (doubts.length > 0) warnings.add(ATTACHMENTS_NOT_READ);
    } catch (error) {
      if (!(error instanceof ExtractionError) || error.code === "too_large") throw error;
    }
  }
  if (texts.length === 0) {
    throw noText(context.name, "no message has a text", "check that it opens in a mail program");
  }
  const left = messages.length - texts.length;
  if (left > 0) warnings.add(`${left} of ${messages.length} messages could not be read, or have no text.`);
  return {
    docType: "email",
    title: undefined,
    text: texts.join("\n"),
    markup: "markdown",
    pageStarts: undefined,
    outline,
    metadata: { messages: texts.length },
    tags: [],
    ...(warnings.size > 0 && { warnings: [...warnings] }),
  };
}

const ATTACHMENTS_NOT_READ =
  "The attachments were not read. Save them as files, or add the mailbox with 'kb-mcp add'.";

/** Mail programs also save messages as UTF-16, in which the parser finds no headers. */
async function toAscii(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const unicode = markedUnicode(bytes) ?? unmarkedUnicode(bytes.subarray(0, 4096));
  if (unicode === undefined) return bytes;
  return new TextEncoder().encode((await decodeText(bytes))?.text ?? "");
}

interface Address {
  readonly name?: string;
  readonly address?: string | undefined;
  readonly group?: readonly Address[] | undefined;
}

function addresses(address: Address | undefined): string[] {
  if (!address) return [];
  if (address.group) return address.group.flatMap(addresses);
  const { name = "", address: mailbox = "" } = address;
  return [name === "" || name === mailbox ? mailbox : mailbox === "" ? name : `${name} <${mailbox}>`];
}

interface ParsedAttachment {
  readonly filename: string | null;
  readonly mimeType: string;
  readonly disposition: string | null;
  readonly related?: boolean | undefined;
  readonly contentId?: string | undefined;
  readonly content: ArrayBuffer | Uint8Array | string;
}

interface ParsedBody {
  readonly text?: string | undefined;
  readonly html?: string | undefined;
  readonly attachments: readonly ParsedAttachment[];
}

/**
 * Separates the text of a message from its attachments. The parser takes text of other types than plain text and HTML for
 * attachments: without another body, it is the body, and without such a text, an invitation is.
 */
async function textAndAttachments(
  { text = "", html = "", attachments }: ParsedBody,
  context: ExtractionContext,
): Promise<Pick<MailMessage, "text" | "attachments">> {
  const isHtml = html.trim() !== "";
  const mayBeBody = (part: ParsedAttachment) => isBody(part) || CALENDARS.test(part.mimeType);
  const hasBody = text.trim() !== "" ||
    (attachments.some(mayBeBody) ? isHtml && hasText(html, context) : isHtml);
  const readAs = async (read: (part: ParsedAttachment) => Promise<string | undefined>) => {
    // Programs send an invitation twice, as a part and as a file.
    const texts = new Set<string>();
    const files: MailAttachment[] = [];
    for (const [at, part] of attachments.entries()) {
      const body = hasBody ? undefined : await read(part);
      if (body !== undefined) texts.add(body);
      else if (!(hasBody && isRendering(part))) files.push(toAttachment(part, at));
    }
    return { text: hasBody ? text : [...texts].join("\n\n"), attachments: files };
  };
  const message = await readAs(async (part) =>
    isBody(part) ? (await decodeText(contentOf(part)))?.text : undefined
  );
  if (message.text.trim() !== "" || hasBody) return message;
  return await readAs((part) => readInvitation(part, context));
}

/** Whether HTML has a text for readers: mail programs add an empty part to other types of text. */
function hasText(html: string, { name }: ExtractionContext): boolean {
  return convertHtml(html, { name }).text.trim() !== "";
}

/** Returns the events of an invitation, unless it becomes a document of its own. */
async function readInvitation(
  part: ParsedAttachment,
  { name, maxTextChars, fileLimits }: ExtractionContext,
): Promise<string | undefined> {
  const isFile = part.disposition === "attachment" && fileLimits !== undefined;
  if (isFile || !CALENDARS.test(part.mimeType)) return undefined;
  const source = await decodeText(unfold(contentOf(part)));
  const { entries } = parseCalendar(normalizeText(source?.text ?? "").replace(/\n[ \t]/g, ""));
  if (entries.length === 0) return undefined;
  const writer = new MarkdownWriter(name, maxTextChars);
  writeEntries(entries, writer);
  return writer.text;
}

/** Types of invitations. */
const CALENDARS = /^(?:text\/calendar|application\/ics)$/;

/** Types of text that are files: they have readers of their own. */
const TEXT_FILES = /^text\/(?:calendar|csv|directory|rfc822-headers|(?:x-)?vcard)$/;
/** Types of text that repeat a body for some mail programs, such as AMP for e-mail. */
const RENDERINGS = /^text\/(?:enriched|richtext|(?:x-)?(?:amp|watch)-html)$/;

function isRendering({ mimeType, disposition }: ParsedAttachment): boolean {
  return disposition !== "attachment" && RENDERINGS.test(mimeType);
}

/**
 * Whether a part can be the body. Text of an unknown type, such as Markdown or a patch, is read as plain text (RFC 2046,
 * section 4.1.4), as is a type without a slash (RFC 2045, section 5.2).
 */
function isBody({ mimeType, disposition }: ParsedAttachment): boolean {
  const isText = mimeType.startsWith("text/") || !mimeType.includes("/");
  return isText && disposition !== "attachment" && !TEXT_FILES.test(mimeType);
}

function contentOf({ content }: ParsedAttachment): Uint8Array<ArrayBuffer> {
  return typeof content === "string"
    ? new TextEncoder().encode(content)
    : new Uint8Array(content as ArrayBuffer);
}

function toAttachment(part: ParsedAttachment, at: number): MailAttachment {
  const { filename, mimeType, disposition, related, contentId } = part;
  const isImage = mimeType.startsWith("image/");
  return {
    name: filename ??
      `${mimeType === "message/rfc822" ? "message" : "attachment"} ${at + 1}${extension(mimeType)}`,
    contentType: mimeType,
    isInline: isImage && (related === true || (disposition === "inline" && contentId !== undefined)),
    read: () => contentOf(part),
  };
}

/** Returns the extension for attachments without a name. */
function extension(mimeType: string): string {
  const subtype = /^(?:image|text|application)\/(jpeg|png|gif|pdf|html|plain|csv|calendar|zip)$/.exec(
    mimeType,
  )?.[1];
  if (mimeType === "message/rfc822") return ".eml";
  return subtype === undefined
    ? ""
    : `.${({ plain: "txt", calendar: "ics" } as Record<string, string>)[subtype] ?? subtype}`;
}
