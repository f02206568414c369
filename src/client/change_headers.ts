import { Actor, ACTOR_HEADER, encodeActor } from "../contract/mod.ts";
import type { ChangeOptions } from "./options.ts";

/** Returns the request headers of a change: its condition (RFC 9110 §13.1.1) and who makes it. */
export function changeHeaders({ ifVersion, actor }: ChangeOptions = {}): Record<string, string> {
  const name = validActor(actor);
  return {
    ...(ifVersion !== undefined && { "if-match": `"${ifVersion}"` }),
    ...(name !== undefined && { [ACTOR_HEADER]: encodeActor(name) }),
  };
}

/** Returns a name that engines accept. The name is only displayed, so an invalid one is no reason to reject a change. */
export function validActor(actor: string | undefined): string | undefined {
  return actor === undefined ? undefined : Actor.safeParse(actor).data;
}
