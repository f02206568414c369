import { decodeCodePage } from "../encoding/office_code_pages.ts";
import { damaged } from "../errors.ts";
import { type MailAttachment, type MailMessage, messageText } from "../mail/message.ts";
import { extractRtf } from "./rtf.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

type Reader = InstanceType<MsgReaderClass>;
type MsgReaderClass = typeof import("@kenjiuno/msgreader")["default"];
type Fields = import("@kenjiuno/msgreader").FieldsData;

/** Reads a message of Outlook ([MS-OXMSG]). Messages in it are attachments. */
export async function extractMsg(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const message = await readMessage(file, context).catch((error) => {
    throw damaged(context.name, "it is a damaged Outlook message", error);
  });
  return await messageText(message, context);
}

async function readMessage({ bytes }: SourceFile, context: ExtractionContext): Promise<MailMessage> {
  const { default: exports } = await import("@kenjiuno/msgreader") as unknown as {
    default: MsgReaderClass & { readonly default?: MsgReaderClass };
  };
  // A CommonJS module: Deno returns its exports, and a bundle the default one of them.
  const MsgReader = exports.default ?? exports;
  const open = (encoding?: string) => {
    const reader: Reader = new MsgReader(toArrayBuffer(bytes));
    if (encoding !== undefined) reader.parserConfig = { ansiEncoding: encoding };
    const fields = reader.getFileData();
    if (fields.error) throw new Error(fields.error);
    return { reader, fields };
  };
  let { reader, fields } = open();
  // Strings of messages that are not Unicode are in this code page.
  const codePage = fields.messageCodepage ?? fields.internetCodepage;
  if (codePage !== undefined && isAnsi(codePage)) ({ reader, fields } = open(`cp${codePage}`));
  const recipients = (type: string) =>
    (fields.recipients ?? []).filter(({ recipType }) => recipType === type)
      .flatMap(({ name, email, smtpAddress }) => address(name, smtpAddress ?? email));
  const html = htmlOf(fields);
  const text = fields.body?.trim() || (html === undefined ? await textOfRtf(fields, context) : undefined);
  return {
    subject: fields.subject,
    from: address(
      fields.senderName,
      fields.senderSmtpAddress ?? fields.creatorSMTPAddress ?? fields.senderEmail,
    ),
    to: recipients("to"),
    cc: recipients("cc"),
    date: fields.clientSubmitTime ?? fields.messageDeliveryTime,
    messageId: fields.messageId,
    inReplyTo: inReplyTo(fields.headers),
    text,
    html,
    attachments: (fields.attachments ?? []).map((each, at) => toAttachment(reader, each, at)),
  };
}

/** Returns a header of the message as it was sent. */
function inReplyTo(headers: string | undefined): string | undefined {
  return /^In-Reply-To:\s*(\S.*)$/im.exec((headers ?? "").slice(0, 100_000))?.[1];
}

/** Whether a code page has one or two bytes for a character and is known to the reader. */
function isAnsi(codePage: number): boolean {
  return (codePage >= 1250 && codePage <= 1258) || [874, 932, 936, 949, 950].includes(codePage);
}

function address(name: string | undefined, mailbox: string | undefined): string[] {
  // Exchange has directory names instead of addresses: /O=ORG/OU=…/CN=…
  const isMailbox = mailbox !== undefined && /^[^/\s]+@[^/\s]+$/.test(mailbox);
  const person = name?.replace(/^'(.*)'$/, "$1");
  if (!isMailbox) return person ? [person] : [];
  return [person && person !== mailbox ? `${person} <${mailbox}>` : mailbox];
}

/** Returns the HTML body: as text, or as bytes in the code page of the message. */
function htmlOf({ bodyHtml, html, internetCodepage = 65001 }: Fields): string | undefined {
  return bodyHtml || (html && decodeCodePage(html, internetCodepage));
}

/** Returns the text of a message that has only rich text. */
async function textOfRtf({ compressedRtf }: Fields, context: ExtractionContext): Promise<string | undefined> {
  if (!compressedRtf) return undefined;
  const { decompressRTF } = await import("./compressed_rtf.ts");
  try {
    const bytes = Uint8Array.from(decompressRTF(Array.from(compressedRtf)));
    return (await extractRtf({ bytes, filename: undefined, contentType: undefined }, context))?.text;
  } catch {
    return undefined;
  }
}

function toAttachment(reader: Reader, fields: Fields, at: number): MailAttachment {
  const { fileName, fileNameShort, name, extension = "", innerMsgContent, attachMimeTag, pidContentId } =
    fields;
  const filename = fileName || name || fileNameShort || `attachment ${at + 1}${extension}`;
  const isImage = attachMimeTag?.startsWith("image/") ?? /\.(?:png|jpe?g|gif|bmp)$/i.test(filename);
  return {
    name: innerMsgContent ? `${filename.replace(/\.msg$/i, "")}.msg` : filename,
    contentType: innerMsgContent ? "application/vnd.ms-outlook" : attachMimeTag,
    isInline: fields.attachmentHidden === true || (isImage && pidContentId !== undefined),
    read: () => new Uint8Array(reader.getAttachment(fields).content),
  };
}

function toArrayBuffer({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): ArrayBuffer {
  return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
}
