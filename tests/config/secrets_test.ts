import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  type Config,
  ConfigError,
  type ConfigSource,
  describeSettings,
  type FileOwner,
  loadConfig,
  secretWarnings,
} from "../../src/config/mod.ts";

const SECRETS = ["KB_MCP_API_KEY", "KB_API_KEY", "KB_EMBEDDINGS_API_KEY", "KB_METRICS_TOKEN"] as const;
const KEY = "0123456789abcdef";

function sourceOf(env: Record<string, string>, files: Record<string, string> = {}): ConfigSource {
  return {
    env: (name) => env[name],
    readFile: (path) => {
      const content = files[path];
      if (content === undefined) throw new Error("No such file or directory");
      return content;
    },
  };
}

function load(env: Record<string, string>, files?: Record<string, string>): Config {
  return loadConfig(sourceOf(env, files));
}

Deno.test("the keys are the only secrets, and only they are read from files", () => {
  assertEquals(describeSettings().filter((row) => row.secret).map((row) => row.name), [...SECRETS]);
  assertEquals(load({ KB_MCP_PORT_FILE: "/f" }).KB_MCP_PORT, 8808);
});

for (const name of SECRETS) {
  const file = `${name}_FILE`;

  Deno.test(`${name} that is set but empty is refused, because it would mean no authentication`, () => {
    for (const value of ["", " ", "\n", " \t\r\n", "\ufeff"]) {
      const { message } = assertThrows(() => load({ [name]: value }), ConfigError);
      assertMatch(message, new RegExp(`^${name} must not be empty: set it to the key, or unset it`));
      assertThrows(() => load({ [name]: value, [file]: "/key" }, { "/key": KEY }), ConfigError, name);
      assertThrows(() => load({ [file]: value }), ConfigError, `${file} must not be empty: set it to a path`);
      const inFile = assertThrows(() => load({ [file]: "/key" }, { "/key": value }), ConfigError);
      assertEquals(inFile.message, `${file} must name a file that contains the key, but "/key" is empty`);
    }
  });

  Deno.test(`${name} that is not set means no key`, () => {
    assertEquals(load({})[name], undefined);
  });

  Deno.test(`${name} may come from a file, without surrounding white space`, () => {
    for (const content of [KEY, `${KEY}\n`, ` ${KEY}\r\n`, `\ufeff${KEY}\n`]) {
      assertEquals(load({ [file]: "/key" }, { "/key": content })[name], KEY);
    }
  });

  Deno.test(`${file} that cannot be read is refused with the reason`, () => {
    assertThrows(
      () => load({ [file]: "/missing" }),
      ConfigError,
      `${file} must name a readable file, got "/missing": No such file or directory`,
    );
  });

  Deno.test(`${name} that is set twice is refused`, () => {
    assertThrows(
      () => load({ [name]: KEY, [file]: "/key" }, { "/key": KEY }),
      ConfigError,
      `${name} and ${file} must not both be set`,
    );
  });

  Deno.test(`${name} that cannot be sent in a header is refused, and the message does not contain it`, () => {
    const unsendable = [
      "pass phrase",
      "schlüssel-mit-umlaut",
      "two\nlines",
      "\0",
      "tab\ttab",
      "x".repeat(4001),
    ];
    for (const value of unsendable) {
      for (const [variable, env] of [[name, { [name]: value }], [file, { [file]: "/key" }]] as const) {
        const { message } = assertThrows(() => load(env, { "/key": value }), ConfigError);
        assertEquals(
          message,
          `${variable} must be 1 to 4000 visible ASCII characters without spaces or line ends, ` +
            "because it is sent in an HTTP header",
        );
      }
    }
    assertEquals(load({ [name]: "x".repeat(4000) })[name]?.length, 4000);
  });
}

interface WarningCase {
  readonly env: Record<string, string>;
  readonly files?: Record<string, string>;
  readonly owner?: FileOwner;
}

function warnings({ env, files, owner = { mode: null, uid: null } }: WarningCase): string[] {
  const source = sourceOf(env, files);
  return secretWarnings(loadConfig(source), source, () => owner)
    .map(({ variable, message }) => `${variable}: ${message}`);
}

Deno.test("a key of this program that is shorter than 16 characters is warned about, without the key", () => {
  for (const name of ["KB_MCP_API_KEY", "KB_API_KEY"]) {
    const [warning = "", ...others] = warnings({ env: { [name]: "hunter2" } });
    assertEquals(others, []);
    assertMatch(warning, new RegExp(`^${name}: the key is easy to guess: use at least 16 random characters`));
    assert(!warning.includes("hunter2"));
    assertEquals(warnings({ env: { [name]: KEY } }), []);
    assertEquals(warnings({ env: { [name]: KEY.slice(1) } }).length, 1);
    const inFile = warnings({ env: { [`${name}_FILE`]: "/key" }, files: { "/key": "hunter2" } });
    assertMatch(inFile.join(), new RegExp(`^${name}_FILE: the key is easy to guess`));
  }
});

Deno.test("a short key of an embeddings API is not warned about: its provider chooses it", () => {
  assertEquals(warnings({ env: { KB_EMBEDDINGS_API_KEY: "ollama" } }), []);
});

Deno.test("a key file that other users can read is warned about", () => {
  const warningsFor = (owner: FileOwner, path = "/etc/kb key") =>
    warnings({ env: { KB_MCP_API_KEY_FILE: path }, files: { [path]: KEY }, owner });
  const expected = ['KB_MCP_API_KEY_FILE: other users can read the key file: run chmod 600 "/etc/kb key"'];
  for (const mode of [0o100644, 0o100640, 0o100604, 0o100620, 0o100777]) {
    assertEquals(warningsFor({ mode, uid: 1000 }), expected, mode.toString(8));
  }
  for (const mode of [0o100600, 0o100400, null]) assertEquals(warningsFor({ mode, uid: 1000 }), []);
  // root:kb-mcp 0640 lets the service read its key, but not change it.
  assertEquals(warningsFor({ mode: 0o100640, uid: 0 }), []);
  assertEquals(warningsFor({ mode: 0o100644, uid: 0 }), expected);
  // Docker and systemd choose the modes of these files, and only the service can enter their directories.
  for (const path of ["/run/secrets/key", "/var/run/secrets/key", "/run/credentials/kb-mcp.service/key"]) {
    assertEquals(warningsFor({ mode: 0o100444, uid: 1000 }, path), []);
  }
});
