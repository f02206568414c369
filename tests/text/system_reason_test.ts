import { assertEquals } from "@std/assert";
import { systemReason } from "../../src/text/mod.ts";

Deno.test("systemReason leaves out the number and the path", () => {
  const denied = new Deno.errors.PermissionDenied("Permission denied (os error 13): open '/etc/key'");
  assertEquals(systemReason(denied), "Permission denied");
  assertEquals(systemReason(new Error("unable to open database file")), "unable to open database file");
  assertEquals(systemReason("text"), "text");
});
