/** Reference to a resource (MCP `ResourceLink`). */
export interface ResourceLink {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly mimeType?: string;
}

/** Part of a tool's result (MCP `ContentBlock`). */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "resource"; readonly resource: { uri: string; mimeType?: string; text: string } }
  | ResourceLink;
