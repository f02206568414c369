import { documentTitle } from "../document_title.ts";
import { noText } from "../errors.ts";
import { normalizeText } from "../normalize.ts";
import { textDocument } from "../text_document.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** A time as in `00:12:30,500 --> 00:12:33,000`, with optional hours. */
const TIMING =
  /^\s*((?:\d{1,3}:)?\d{1,2}:\d{2})[.,:]\d{1,3}\s*-->\s*((?:\d{1,3}:)?\d{1,2}:\d{2})[.,:]\d{1,3}/;
/** A new paragraph starts after a silence of this many seconds… */
const SILENCE_SECONDS = 4;
/** …or at a sentence end once the paragraph lasts this many. */
const PARAGRAPH_SECONDS = 60;

/** A caption. */
interface Cue {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Reads WebVTT and SubRip: the captions as paragraphs that start with their time, such as `[00:12:30]`. Rolling
 * captions, which repeat the line before, are merged.
 */
export async function extractSubtitles(
  file: SourceFile,
  context: ExtractionContext,
): Promise<ExtractedText> {
  const { name } = context;
  const source = await readText(file, context);
  const { cues, header } = readCues(source.text);
  const text = normalizeText(paragraphs(cues));
  if (cues.length === 0) {
    const warnings = ["The file has no captions with times, and was read as plain text."];
    return textDocument({
      docType: "subtitles",
      title: undefined,
      text: source.text,
      markup: "plain",
      warnings,
    }, source);
  }
  if (text.trim() === "") throw noText(name, "its captions are empty", "upload a file with words in it");
  // Some programs write `WEBVTT FILE`.
  const title = documentTitle(
    /^WEBVTT[ \t]*(?:FILE\b)?[ \t]*(?:-[ \t]*)?([^\n]{1,200})/.exec(source.text)?.[1],
    file.filename,
  );
  return textDocument({
    docType: "subtitles",
    title,
    text: `${text}\n`,
    markup: "plain",
    metadata: { language: /^Language:\s*(\S{2,20})/m.exec(header)?.[1] },
  }, source);
}

function readCues(text: string): { cues: Cue[]; header: string } {
  const cues: Cue[] = [];
  const header: string[] = [];
  let current: { start: number; end: number; lines: string[] } | undefined;
  let skipsBlock = false;
  for (const line of text.split("\n")) {
    const timing = TIMING.exec(line);
    if (timing) {
      // The line before is the number or name of the cue.
      if (current && current.lines.length > 1 && /^\s*\d+\s*$/.test(current.lines.at(-1)!)) {
        current.lines.pop();
      }
      current = { start: seconds(timing[1]!), end: seconds(timing[2]!), lines: [] };
      cues.push(current);
      skipsBlock = false;
    } else if (line.trim() === "") {
      current = undefined;
      skipsBlock = false;
    } else if (current) {
      const words = cleanLine(line);
      if (words !== "") current.lines.push(words);
    } else if (!skipsBlock) {
      if (/^(?:NOTE|STYLE|REGION)\b/.test(line)) skipsBlock = true;
      else if (cues.length === 0) header.push(line);
    }
  }
  return { cues, header: header.join("\n") };
}

function seconds(time: string): number {
  return time.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
}

/** Returns a line without tags; `<v Ann>` names the speaker. */
function cleanLine(line: string): string {
  return line
    .replace(/<v(?:\.[\w.-]{1,50})?\s+([^>]{1,100})>/g, "$1: ")
    .replace(/<\/?[a-z0-9:.][^<>]{0,200}>|\{\\[^{}]{1,100}\}/gi, "")
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, entity: string) => ENTITIES[entity] ?? "")
    .replace(/\s+/g, " ").trim();
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", nbsp: " " };

function paragraphs(cues: readonly Cue[]): string {
  const written: string[] = [];
  let words: string[] = [];
  let start = 0;
  let end = 0;
  let speaker = "";
  let previous: readonly string[] = [];
  const flush = () => {
    if (words.length > 0) written.push(`[${clock(start)}] ${words.join(" ")}`);
    words = [];
  };
  for (const cue of cues) {
    // Of rolling captions, each shows the last line again.
    const lines = cue.lines.filter((line, at) => !previous.includes(line) || at > previous.length);
    previous = cue.lines;
    if (lines.length === 0) {
      end = cue.end;
      continue;
    }
    const isSentenceEnd = /[.!?…。！？]["'”’»)]?$/.test(words.at(-1) ?? "");
    if (cue.start - end > SILENCE_SECONDS || (isSentenceEnd && cue.start - start > PARAGRAPH_SECONDS)) {
      flush();
    }
    if (words.length === 0) start = cue.start;
    for (const line of lines) {
      const named = /^([^:]{1,60}): /.exec(line)?.[1];
      // A speaker is named once in a row.
      words.push(
        named !== undefined && named === speaker && words.length > 0 ? line.slice(named.length + 2) : line,
      );
      if (named !== undefined) speaker = named;
    }
    end = cue.end;
  }
  flush();
  return written.join("\n\n");
}

function clock(total: number): string {
  const part = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${part(total / 3600)}:${part((total / 60) % 60)}:${part(total % 60)}`;
}
