import type { Garbage } from "./case.ts";
import { badEncodings } from "./encodings.ts";
import { goodJson } from "./good_json.ts";
import { huge } from "./huge.ts";
import { batches, notMessages } from "./messages.ts";
import { nested, notJson, truncated } from "./structure.ts";
import { badNumbers, badStrings } from "./values.ts";

/**
 * Invalid and unusual bodies: the categories of Nicolas Seriot, "Parsing JSON is a Minefield", and of
 * JSON-RPC.
 */
export function garbage(): Garbage[] {
  return [
    ...truncated(),
    ...nested(),
    ...notJson(),
    ...badNumbers(),
    ...badStrings(),
    ...badEncodings(),
    ...goodJson(),
    ...batches(),
    ...notMessages(),
    ...huge(),
  ];
}
