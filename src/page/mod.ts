/**
 * The web page of the MCP server: a client of its own `/mcp`, without data of the knowledge base.
 *
 * @module
 */
export { acceptsPage, type PageOptions, servePage } from "./page.ts";
