import { assertEquals, assertInstanceOf, assertMatch, assertThrows } from "@std/assert";
import { get } from "node:http";
import { join } from "node:path";
import { connect } from "../../src/cli/connection.ts";
import { startEngine } from "../../src/cli/engine.ts";
import { ExitError } from "../../src/cli/exit_status.ts";
import {
  type LocalFile,
  localFilePath,
  PROOF_PATH,
  proofOf,
  readLocalFile,
  writeLocalFile,
} from "../../src/cli/local_file.ts";
import { startServer } from "../../src/cli/serve.ts";
import { type Config, loadConfig } from "../../src/config/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { sourceTools } from "../../src/source_tools/mod.ts";
import { tools } from "../../src/tools/mod.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { CLOSED_URL } from "../support/ports.ts";

function configFor(dataDir: string, settings: Record<string, string> = {}): Config {
  const env: Record<string, string> = {
    KB_MCP_PORT: "0",
    KB_ENGINE_PORT: "0",
    KB_DATA_DIR: dataDir,
    KB_EMBEDDINGS_MODEL: "off",
    ...settings,
  };
  return loadConfig({ env: (name) => env[name], readFile: () => "" });
}

const options = { log: silentLogger, defaultDataDir: () => "/nonexistent" };

async function withDataDir(test: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  try {
    await test(dataDir);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

function localFile(dataDir: string): LocalFile {
  const file = readLocalFile(dataDir);
  if (!file) throw new Error("There must be a local.json");
  return file;
}

/** Sends a request with `node:http`, which can set the `Host` header. */
function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = get(url, { headers, agent: false }, (response) => {
    response.resume().on("end", () => resolve(response.statusCode ?? 0));
  });
  request.on("error", reject);
  return promise;
}

Deno.test("a server publishes its engine to its user, behind a token", () =>
  withDataDir(async (dataDir) => {
    {
      await using _server = await startServer(configFor(dataDir), options);
      const { url, token, pid } = localFile(dataDir);
      assertEquals(pid, Deno.pid);
      if (Deno.build.os !== "windows") {
        assertEquals(((await Deno.stat(localFilePath(dataDir))).mode ?? 0) & 0o777, 0o600);
      }
      const status = `${url}/api/v1/status`;
      const authorization = `Bearer ${token}`;
      assertEquals(
        [
          await statusOf(status, { authorization }),
          // The engine has no key, and still only programs that can read the file get in.
          await statusOf(status, {}),
          await statusOf(status, { authorization: `Bearer ${"a".repeat(43)}` }),
          await statusOf(`${url}/healthz`, {}),
          await statusOf(status, { authorization, origin: "http://127.0.0.1" }),
          await statusOf(status, { authorization, host: "evil.example" }),
        ],
        [200, 401, 401, 401, 403, 403],
      );
    }
    assertEquals(readLocalFile(dataDir), undefined);
  }));

Deno.test("commands reach a running engine without its key", () =>
  withDataDir(async (dataDir) => {
    await using _engine = await startEngine(
      configFor(dataDir, { KB_API_KEY: "a-key-of-some-length" }),
      options,
    );
    await using connection = await connect(configFor(dataDir), options);
    assertEquals([connection.isLocal, connection.name], [true, localFile(dataDir).url]);
    assertMatch((await connection.client.status()).version, /^3\./);
  }));

Deno.test("agents get the tools for sources once a command has added the first one, unless they are off", async () => {
  for (const setting of ["", "off"]) {
    await withDataDir(async (dataDir) => {
      const settings: Record<string, string> = setting === "" ? {} : { KB_MCP_SOURCE_TOOLS: setting };
      await using server = await startServer(configFor(dataDir, settings), options);
      await using connection = await connect(configFor(dataDir), options);
      const names = async () => {
        await using agent = await connectAgent(server.url);
        return (await agent.client.listTools()).tools.map(({ name }) => name);
      };
      const listed = tools.map(({ name }) => name);
      assertEquals(await names(), listed);
      await connection.client.sources();
      assertEquals(await names(), listed);
      await withDataDir(async (folder) => {
        const request = { name: "docs", path: folder, tags: [], include: [], exclude: [], sections: {} };
        await connection.client.addSource(request);
        const added = setting === "" ? sourceTools.map(({ name }) => name) : [];
        assertEquals(await names(), [...listed, ...added]);
        if (setting === "off") return;
        await using agent = await connectAgent(server.url);
        assertEquals((await agent.call("kb_sections")).isError, false);
      });
    });
  }
});

Deno.test("commands on a copy of the data directory of a running server change the copy only", () =>
  withDataDir(async (dataDir) => {
    await using _server = await startServer(configFor(dataDir), options);
    await withDataDir(async (copy) => {
      for await (const { name, isFile } of Deno.readDir(dataDir)) {
        if (isFile) await Deno.copyFile(join(dataDir, name), join(copy, name));
      }
      await using connection = await connect(configFor(copy), options);
      assertEquals(connection.name, `embedded, data in ${copy}`);
      await using other = await connect(configFor(dataDir), options);
      assertEquals(other.name, localFile(dataDir).url);
    });
  }));

Deno.test("commands reach a running server by another path to its data directory", () =>
  withDataDir(async (dataDir) => {
    await using _server = await startServer(configFor(dataDir), options);
    await withDataDir(async (folder) => {
      const link = join(folder, "link");
      await Deno.symlink(dataDir, link, { type: "dir" });
      await using connection = await connect(configFor(link), options);
      assertEquals(connection.name, localFile(dataDir).url);
    });
  }));

Deno.test("a stale file of a killed server is ignored", () =>
  withDataDir(async (dataDir) => {
    const file = { token: "a".repeat(43), pid: 1, version: "3.0.0" };
    writeLocalFile(dataDir, { url: CLOSED_URL, ...file });
    await using connection = await connect(configFor(dataDir), options);
    assertMatch(connection.name, /^embedded, data in/);
  }));

Deno.test("a file that cannot be put in place leaves no temporary one", () =>
  withDataDir(async (dataDir) => {
    await Deno.mkdir(localFilePath(dataDir));
    assertThrows(() =>
      writeLocalFile(dataDir, { url: CLOSED_URL, token: "a".repeat(43), pid: 1, version: "3.0.0" })
    );
    assertEquals((await Array.fromAsync(Deno.readDir(dataDir))).map(({ name }) => name), ["local.json"]);
  }));

Deno.test("the token is not sent to a program that has taken over the port", () =>
  withDataDir(async (dataDir) => {
    const requests: string[] = [];
    await using impostor = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      ({ url, headers }) => {
        requests.push(`${new URL(url).pathname} ${headers.get("authorization")}`);
        return Response.json({
          proof: proofOf("b".repeat(43), new URL(url).searchParams.get("challenge") ?? ""),
        });
      },
    );
    const url = `http://127.0.0.1:${impostor.addr.port}`;
    writeLocalFile(dataDir, { url, token: "a".repeat(43), pid: 1, version: "3.0.0" });
    await using connection = await connect(configFor(dataDir), options);
    assertEquals(requests, [`${PROOF_PATH} null`]);
    assertMatch(connection.name, /^embedded, data in/);
  }));

Deno.test("a data directory that another process uses without an endpoint ends a command with status 69", () =>
  withDataDir(async (dataDir) => {
    await using _engine = await startEngine(configFor(dataDir), options);
    await Deno.remove(localFilePath(dataDir));
    const error = await connect(configFor(dataDir), { ...options, maxWaitMs: 0 }).catch((error) => error);
    assertInstanceOf(error, ExitError);
    assertEquals(error.status, 69);
    assertMatch(error.message, /cannot be reached: wait until that command has ended/);
  }));

Deno.test("a server that does not respond is named by its process id", () =>
  withDataDir(async (dataDir) => {
    await using _engine = await startEngine(configFor(dataDir), options);
    writeLocalFile(dataDir, { url: CLOSED_URL, token: "a".repeat(43), pid: 4321, version: "3.0.0" });
    const error = await connect(configFor(dataDir), { ...options, maxWaitMs: 0 }).catch((error) => error);
    assertMatch(
      error.message,
      /restart the server \(the last one had the process id 4321\) if it does not respond/,
    );
  }));

Deno.test("a command waits for another one that has opened the data directory", () =>
  withDataDir(async (dataDir) => {
    const first = await connect(configFor(dataDir), options);
    const waiting = connect(configFor(dataDir), { ...options, maxWaitMs: 60_000 });
    await first[Symbol.asyncDispose]();
    await using second = await waiting;
    assertEquals(second.name, first.name);
  }));

Deno.test("a server waits for a command that uses the data directory, but not for another server", () =>
  withDataDir(async (dataDir) => {
    const config = configFor(dataDir);
    const command = await connect(config, options);
    const events: string[] = [];
    const { promise: waiting, resolve } = Promise.withResolvers<void>();
    const log = { ...silentLogger, info: (event: string) => void (events.push(event), resolve()) };
    const server = startServer(config, { ...options, log });
    await waiting;
    await command[Symbol.asyncDispose]();
    await using _server = await server;
    assertEquals(events[0], "waiting for a command that uses the data directory");
    const another = await startEngine(config, options).catch((error) => error);
    assertMatch(another.message, /in use by the kb-mcp server with the process id \d+: stop it/);
  }));
