import { AnswerTooLarge, NotUtf8, readText } from "./body.ts";
import type { Call, Outcome } from "./call.ts";
import type { Deadline } from "./deadline.ts";
import { answerBroken, badAnswer } from "./failures.ts";
import { normalize } from "./normalize.ts";
import { refusal } from "./refusals.ts";

/** Longest foreign detail (a media type, a path into an answer) in a message, in characters. */
const MAX_DETAIL = 100;

/** Reads an answer and holds it to the contract. Whatever comes in here was not trusted; what goes out is. */
export async function receive<T>(
  call: Call,
  response: Response,
  deadline: Deadline,
  { maxBytes, hasKey }: { maxBytes: number; hasKey: boolean },
): Promise<Outcome<T>> {
  const { status, headers } = response;
  const location = headers.get("location");
  const outside = (what: string, cause?: unknown) =>
    badAnswer(call, `answered ${call.route.method} ${call.route.path} with ${what}`, cause, {
      status,
      happened: true,
    });
  let text: string;
  try {
    text = await readText(response, maxBytes, deadline);
  } catch (error) {
    // The status of a refusal says enough without its text.
    if (!response.ok) return refusal(call, { status, body: undefined, location }, hasKey);
    if (error instanceof AnswerTooLarge) {
      return outside(`more than ${maxBytes} bytes. Ask for less at once.`, error);
    }
    if (error instanceof NotUtf8) return outside("text that is not UTF-8.", error);
    return answerBroken(call, deadline, error);
  }
  // DELETE may be answered by 204 without content.
  const body = text === "" && call.name === "deleteDocument" ? {} : parseJson(text);
  if (!response.ok) return refusal(call, { status, body, location }, hasKey);
  if (body === undefined) {
    const type = call.clean(headers.get("content-type") ?? "no content type").slice(0, MAX_DETAIL);
    const check = "Check that KB_ENGINE_URL is the address of a knowledge base engine.";
    return outside(`something that is not JSON (${type}). ${check}`);
  }
  const parsed = call.route.answer.safeParse(normalize(call.name, body, call.id));
  if (parsed.success) return { value: parsed.data as T };
  const at = call.clean(parsed.error.issues[0]?.path.join(".") || "its top").slice(0, MAX_DETAIL);
  const check = "Check that it is a knowledge base engine, version 3.0.0 or later.";
  return outside(`something outside the contract, at ${at}. ${check}`, parsed.error);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
