/**
 * Starts kb-mcp as an extension of Claude Desktop.
 *
 * Settings that the user leaves empty arrive as empty variables, or with the placeholder of the manifest as their value.
 */
"use strict";

for (const [name, value] of Object.entries(process.env)) {
  if (name.startsWith("KB_") && (value === "" || value.startsWith("${user_config."))) {
    delete process.env[name];
  }
}
require("./kb-mcp.cjs");
