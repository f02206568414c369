import { assertEquals, assertNotEquals } from "@std/assert";
import { bearerTokenCheck } from "../../../src/web/mod.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

const KEY = "k3y-0123456789.abcdef~+/=";
/** Maximum length of a header that is checked. */
const MAX_HEADER_CHARS = 4096;

/**
 * A header is valid only if it is `Bearer`, spaces, exactly the key and spaces. A check gives the same result
 * again, and is not affected by those before it.
 */
export const bearer: FuzzTarget = {
  name: "bearer",
  iterations: 2500,
  maxBytes: 5000,
  seeds: utf8([
    `Bearer ${KEY}`,
    `bearer   ${KEY}  `,
    `Basic ${btoa(`x:${KEY}`)}`,
    KEY,
    `Bearer ${KEY},Bearer ${KEY}`,
  ]),
  dictionary: utf8(["Bearer ", "bearer", KEY, " ", "\t", ",", "=", "\0", "\u00a0", "\r\n", '"']),
  open: () => {
    const check = bearerTokenCheck([KEY]);
    return (input) => {
      // A header has one character per byte.
      const header = new TextDecoder("latin1").decode(input);
      const { status } = check(header);
      const words = header.split(" ").filter((word) => word !== "");
      const isValid = header.length <= MAX_HEADER_CHARS && !header.startsWith(" ") && words.length === 2 &&
        words[0]?.toLowerCase() === "bearer" && words[1] === KEY;
      assertEquals(status === "valid", isValid, JSON.stringify(header));
      assertEquals(check(header).status, status);
      assertEquals(check(`Bearer ${KEY}`).status, "valid");
      assertNotEquals(check(`Bearer ${KEY}x`).status, "valid");
    };
  },
};
