/** An icon of a tool or a server (MCP, `Icon`). */
export interface Icon {
  /** A `data:` URI, which carries its MIME type. No `sizes`: an SVG fits any. */
  src: string;
}

/**
 * Returns an icon for SVG path data on an 8 × 8 grid, in a colour that is visible on light and dark
 * backgrounds. Short, because every byte of the tool list is part of every conversation.
 *
 * @param path The `d` attribute of the path (SVG 2 §9.3), such as `M3 0h2v8H3z`.
 */
export function iconOf(path: string): Icon {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="tan" d="${path}"/></svg>`;
  return { src: `data:image/svg+xml;base64,${btoa(svg)}` };
}
