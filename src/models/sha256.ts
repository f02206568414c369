import { createHash } from "node:crypto";

/** Returns the SHA-256 of a file in hexadecimal, reading it in chunks. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  using file = await Deno.open(path);
  for await (const chunk of file.readable) hash.update(chunk);
  return hash.digest("hex");
}
