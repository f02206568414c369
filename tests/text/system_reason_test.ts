import { assertEquals } from "@std/assert";
import { systemReason } from "../../src/text/mod.ts";

Deno.test("systemReason leaves out the number and the path", () => {
  const denied = new Deno.errors.PermissionDenied("Permission denied (os error 13): open '/etc/key'");
  assertEquals(systemReason(denied), "Permission denied");
  assertEquals(systemReason(new Error("unable to open database file")), "unable to open database file");
  assertEquals(systemReason("text"), "text");
});

Deno.test("the reason of an error of Node's API has neither its code nor its path", () => {
  const nodeError = (code: string, message: string) => Object.assign(new Error(message), { code });
  assertEquals(
    systemReason(nodeError("EACCES", "EACCES: permission denied, open '/a, b/c'")),
    "Permission denied",
  );
  assertEquals(systemReason(nodeError("EIO", "EIO: i/o error, read")), "I/o error");
  assertEquals(systemReason(nodeError("EIO", "ERROR: no disk, no fun")), "ERROR: no disk, no fun");
});
