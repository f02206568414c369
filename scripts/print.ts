const encoder = new TextEncoder();

/** Writes a line to standard output without buffering, so that an interrupted run shows its progress. */
export function print(line = ""): void {
  Deno.stdout.writeSync(encoder.encode(line + "\n"));
}
