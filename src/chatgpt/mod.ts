/**
 * The tools `search` and `fetch`, which ChatGPT's deep research and company knowledge require of an MCP server, with
 * exactly the arguments and results that OpenAI documents ("Building MCP servers for ChatGPT Apps and API integrations").
 * `KB_MCP_COMPAT=chatgpt` adds them to the others.
 *
 * @module
 */
import type { Tool } from "../tools/mod.ts";
import { fetchDocument } from "./fetch.ts";
import { search } from "./search.ts";

/** Both tools, in their listed order. */
export const chatgptTools: readonly Tool[] = [search, fetchDocument];
