import { assertEquals } from "@std/assert";
import { clientAddress } from "../../src/web/mod.ts";

for (
  const [hostname, key] of [
    ["127.0.0.1", "127.0.0.1"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::1", "0:0:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::6", "2001:db8:1:2::/64"],
    ["2001:db8::2:3:4:5:6", "2001:db8:0:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["2001:db8:1::", "2001:db8:1:0::/64"],
  ] as const
) {
  Deno.test(`the client address of ${hostname} is ${key}`, () => {
    assertEquals(clientAddress({ remoteAddr: { hostname } }), key);
  });
}

Deno.test("requests without a connection share one client address", () => {
  assertEquals(clientAddress(undefined), "unknown");
});
