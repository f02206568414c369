/** Returns the extension of a file name in lower case without its dot, or an empty string. */
export function extensionOf(filename: string | undefined): string {
  return /\.([^./\\\s]{1,16})$/.exec(filename ?? "")?.[1]?.toLowerCase() ?? "";
}
