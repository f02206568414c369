const encoder = new TextEncoder();

/** Writes a line to standard output, at once: a gate that hangs has then said how far it came. */
export function print(line = ""): void {
  Deno.stdout.writeSync(encoder.encode(line + "\n"));
}
