import { hasExpired, KeyFileError, readKeyFile } from "../../keys/mod.ts";
import { counted } from "../format.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** Checks that the server can use the keys file, and that keys in it are valid. */
export async function checkKeys(path: string): Promise<Check> {
  const file = JSON.stringify(path);
  try {
    const { keys } = await readKeyFile(path);
    if (keys.length === 0) {
      return warn("keys", `${file} has no keys: none is accepted`, "run kb-mcp key add NAME");
    }
    const expired = keys.filter((key) => hasExpired(key, Date.now())).map(({ name }) => name);
    const found = `${file} has ${counted(keys.length, "key")}`;
    if (expired.length === 0) return ok("keys", found);
    const fix = "run kb-mcp key rotate NAME --expires 90d, or kb-mcp key remove NAME";
    return warn("keys", `${found}, of which have expired: ${expired.join(", ")}`, fix);
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    return fail(
      "keys",
      `${file} cannot be used: ${error.message}`,
      "correct KB_MCP_KEYS, or restore the file",
    );
  }
}
