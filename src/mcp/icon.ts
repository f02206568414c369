/** A picture of a tool or a server (MCP, `Icon`). */
export interface Icon {
  /** A `data:` URI. It names the MIME type; and no `sizes` means any. */
  src: string;
}

/**
 * An icon from SVG path data on a grid of 8 by 8, filled in a colour that is seen on light and on dark. Each byte of
 * it is in every conversation.
 *
 * @param path The `d` of the path (SVG 2, 9.3), such as `M3 0h2v8H3z`.
 */
export function iconOf(path: string): Icon {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="tan" d="${path}"/></svg>`;
  return { src: `data:image/svg+xml;base64,${btoa(svg)}` };
}
