import { Actor, ACTOR_HEADER, decodeActor, MAX_ACTOR_CHARS, type Route } from "../../contract/mod.ts";
import type { HttpRequest } from "../../web/mod.ts";
import type { ChangeOptions } from "../knowledge_base/mod.ts";
import { parseIfMatch } from "./conditional_requests.ts";
import { HttpError } from "./errors.ts";

/**
 * Reads the headers of a change: `If-Match` where the route has it, and `X-KB-Actor`.
 *
 * @throws {HttpError} `invalid` for a malformed header. A condition that is ignored could lose a change.
 */
export function changeOptions({ headers }: HttpRequest, { ifMatch, safe }: Route): ChangeOptions {
  if (safe) return {};
  const ifVersion = ifMatch ? parseIfMatch(headers.get("if-match")) : undefined;
  const actor = parseActor(headers.get(ACTOR_HEADER));
  return { ...(ifVersion && { ifVersion }), ...(actor !== undefined && { actor }) };
}

function parseActor(value: string | null): string | undefined {
  if (value === null || value.trim() === "") return undefined;
  const { data } = Actor.safeParse(decodeActor(value));
  if (data !== undefined) return data;
  throw new HttpError(
    "invalid",
    `X-KB-Actor must be a name of at most ${MAX_ACTOR_CHARS} printable characters, as percent-encoded UTF-8`,
  );
}
