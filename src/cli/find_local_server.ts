import { type LocalFile, PROOF_PATH, proofOf, randomToken, readLocalFile } from "./local_file.ts";

/** Timeout of the proof of a local server, in milliseconds. */
const PROOF_TIMEOUT_MS = 5_000;

/** Returns the address of the server that uses a data directory; undefined: none does, or it cannot be reached. */
export async function findLocalServer(
  dataDir: string,
  signal: AbortSignal = AbortSignal.timeout(PROOF_TIMEOUT_MS),
): Promise<LocalFile | undefined> {
  const file = readLocalFile(dataDir);
  return file && await hasToken(file, signal) ? file : undefined;
}

/** Whether the server that wrote the file listens at its address. */
async function hasToken({ url, token }: LocalFile, signal: AbortSignal): Promise<boolean> {
  const challenge = randomToken();
  try {
    const response = await fetch(`${url}${PROOF_PATH}?challenge=${challenge}`, { signal, redirect: "error" });
    const { proof } = await response.json();
    return proof === proofOf(token, challenge);
  } catch {
    return false;
  }
}
