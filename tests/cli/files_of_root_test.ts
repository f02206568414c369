import { assertEquals } from "@std/assert";
import { type FileOwner, filesOfRoot } from "../../src/cli/files_of_root.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

const ROOT: FileOwner = { uid: 0, gid: 0 };
const SERVICE: FileOwner = { uid: 998, gid: 997 };

/** Returns a function in place of `Deno.lstatSync`, which only root can make return different owners. */
function ownedByRoot(...names: string[]): (path: string) => FileOwner {
  return (path) => names.some((name) => path.endsWith(`/${name}`)) ? ROOT : SERVICE;
}

const NAMED =
  "files of root in the data directory of another user are named with the command that gives them away";

Deno.test({ name: NAMED, ignore: Deno.build.os === "windows", fn: testNamed });

async function testNamed(): Promise<void> {
  await using folder = await temporaryFolder({ "kb.db": "", "lock.db": "", "models/m.kbmodel": "" });
  const path = await Deno.realPath(folder.path);
  const warning = (name: string) =>
    `"${path}/${name}" belongs to root, so the user 998 of the data directory may not be able to read it. ` +
    `Before the server starts, run as root: chown -R 998:997 "${path}"`;
  for (const name of ["kb.db", "models", "models/m.kbmodel"]) {
    assertEquals(filesOfRoot(path, ownedByRoot(name)), warning(name));
  }
  await using links = await temporaryFolder();
  await Deno.symlink(path, `${links.path}/link`);
  assertEquals(filesOfRoot(`${links.path}/link`, ownedByRoot("link", "kb.db")), warning("kb.db"));
}

Deno.test("a data directory of root, of one user, of Windows or none is not warned about", async () => {
  await using folder = await temporaryFolder({ "kb.db": "" });
  assertEquals(filesOfRoot(folder.path, () => ROOT), undefined);
  assertEquals(filesOfRoot(folder.path, () => SERVICE), undefined);
  assertEquals(filesOfRoot(folder.path, () => ({ uid: null, gid: null })), undefined);
  assertEquals(filesOfRoot(`${folder.path}/none`), undefined);
});
