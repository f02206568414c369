import { assert, assertEquals } from "@std/assert";
import {
  ConfigError,
  loadConfig,
  type SettingName,
  SETTINGS,
  unknownSettings,
} from "../../../src/config/mod.ts";
import type { Random } from "../../support/random.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

const NAMES = Object.keys(SETTINGS) as SettingName[];
/** Occurs in every secret that an input may set. */
const MARKER = "s3cr3tMarker";
const VALUES = [
  ...[
    "",
    " ",
    "0",
    "1",
    "-1",
    "1e3",
    "65536",
    "999999999999",
    "3s",
    "0.5ms",
    "10m",
    "24h",
    "1.0001s",
    "8MiB",
    "64k",
  ],
  ...[
    "http://u:s3cr3tMarker@h/",
    "https://a.example/b/",
    "http://[::1]:80",
    "http://a?b#c",
    "//",
    "file:///etc",
  ],
  ...["a,b,,a", "*", "[::1]:8808", "localhost", "https://a.example", "debug", "../..", "é", "\u202e", "a\tb"],
];

/**
 * Settings either give a configuration with a value of every setting that has a default, or a `ConfigError`
 * whose lines name a setting and contain no secret. Inputs are lines of `NAME=value`.
 */
export const settings: FuzzTarget = {
  name: "settings",
  iterations: 750,
  seeds: utf8([
    "KB_MCP_PORT=8808\nKB_MCP_HOST=127.0.0.1\nKB_UPLOAD_IDLE=10m",
    `KB_MCP_API_KEY=${MARKER}-0123456789\nKB_API_KEY_FILE=/key`,
    "KB_EMBEDDINGS_URL=http://127.0.0.1:11434/v1\nKB_EMBEDDINGS_MODEL=m\nKB_CHUNK_TOKENS=100\nKB_CHUNK_OVERLAP=60",
  ]),
  dictionary: utf8([...NAMES, ...VALUES, "_FILE", "=", "\n", MARKER]),
  generate: (random) => utf8([generateEnvironment(random)])[0]!,
  open: () => (input) => {
    const lines = new TextDecoder().decode(input).split("\n").map((line) => line.split("="));
    const env = new Map(lines.map(([name = "", ...value]) => [name, value.join("=")]));
    unknownSettings([...env.keys()]);
    // In a value that is no secret, the marker is one only before an "@".
    const isPublic = [...env].some(([name, value]) =>
      !name.endsWith("_API_KEY") && value.split("@").at(-1)?.includes(MARKER)
    );
    try {
      const config = loadConfig({ env: (name) => env.get(name), readFile: () => `${MARKER} ${MARKER}` });
      for (const name of NAMES) {
        if ("default" in SETTINGS[name]) assert(config[name] !== undefined, name);
        // Set but empty must never read as "no key".
        if (name.endsWith("_API_KEY") && env.has(name)) assertEquals(config[name], env.get(name)?.trim());
      }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const line of error.message.split("\n")) {
        assert(NAMES.some((name) => line.startsWith(name)), `a line that names no setting: ${line}`);
        assert(isPublic || !line.includes(MARKER), `a line with a secret: ${line}`);
      }
    }
  },
};

function generateEnvironment(random: Random): string {
  const line = () => {
    const name = random.pick(NAMES);
    if (!("secret" in SETTINGS[name])) return `${name}=${random.pick(VALUES)}`;
    const value = MARKER + random.pick(["", " x", "é", "\0", "x".repeat(4000)]);
    return random.int(2) === 0 ? `${name}=${value}` : `${name}_FILE=/key`;
  };
  return Array.from({ length: random.int(8) }, line).join("\n");
}
