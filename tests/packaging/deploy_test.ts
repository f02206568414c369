import { assert, assertEquals, assertMatch } from "@std/assert";
import { DOMParser } from "linkedom/worker";
import { parse, parseAllDocuments } from "yaml";
import { describeSettings } from "../../src/config/mod.ts";
import { VERSION } from "../../src/version.ts";
import { filesBelow, read } from "./repository.ts";

// The files are also started with the real tools: `deno task deploy-check`.

const SETTINGS = new Set(
  describeSettings().flatMap(({ name, secret }) => secret ? [name, `${name}_FILE`] : [name]),
);

Deno.test("deploy files name only settings that exist", async () => {
  for (const path of await filesBelow("deploy")) {
    const text = (await read(path)).replace(/^\s*(?:#|<!--).*$/gm, "");
    const names = text.match(/\bKB_[A-Z_]+/g) ?? [];
    const own = path.endsWith("Caddyfile") ? ["KB_SITE", "KB_UPSTREAM"] : [];
    assertEquals(names.filter((name) => !SETTINGS.has(name) && !own.includes(name)), [], path);
  }
});

Deno.test("the systemd unit is hardened and stops in time", async () => {
  const lines = (await read("deploy/systemd/kb-mcp.service")).split("\n");
  const unit = new Map(
    lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/) as [string, string]),
  );
  assertEquals(unit.get("ExecStart"), "/usr/local/bin/kb-mcp serve");
  for (
    const name of ["DynamicUser", "NoNewPrivileges", "PrivateTmp", "PrivateDevices", "RestrictNamespaces"]
  ) {
    assertEquals(unit.get(name), "yes", name);
  }
  assertEquals([unit.get("ProtectSystem"), unit.get("CapabilityBoundingSet")], ["strict", ""]);
  assertEquals(unit.get("RestartPreventExitStatus"), "64 65");
  assert(Number(unit.get("TimeoutStopSec")) > 10);
});

Deno.test("the launchd property list starts the server and restarts it after a failure", async () => {
  const document = new DOMParser().parseFromString(await read("deploy/launchd/kb-mcp.plist"), "text/xml");
  const root = document.querySelector("plist > dict");
  const children = [...root?.children ?? []];
  const value = (key: string) => children[children.findIndex(({ textContent }) => textContent === key) + 1];
  const texts = [...value("ProgramArguments")?.children ?? []].map(({ textContent }) => textContent);
  assertEquals(texts, ["/usr/local/bin/kb-mcp", "serve"]);
  assertEquals(value("KeepAlive")?.querySelector("key")?.textContent, "SuccessfulExit");
  assert(Number(value("ExitTimeOut")?.textContent) > 10);
});

Deno.test("the Kubernetes manifest runs one restricted pod with probes, limits and a volume", async () => {
  const documents = parseAllDocuments(await read("deploy/kubernetes/kb-mcp.yaml")).map((each) => each.toJS());
  assertEquals(documents.map(({ kind }) => kind), ["Service", "StatefulSet"]);
  const { spec } = documents[1];
  const pod = spec.template.spec;
  const [container] = pod.containers;
  // A second process cannot open the data directory.
  assertEquals([spec.replicas, pod.containers.length], [1, 1]);
  assertEquals(container.image, `kb-mcp:${VERSION}`);
  assertEquals(
    [container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path],
    ["/livez", "/readyz"],
  );
  assertEquals(container.resources.limits.memory, "3Gi");
  assertEquals([container.securityContext.readOnlyRootFilesystem, pod.securityContext.runAsNonRoot], [
    true,
    true,
  ]);
  const mounts = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
  assertEquals(mounts, ["/data", "/tmp", "/run/secrets/kb-mcp"]);
  assert(pod.terminationGracePeriodSeconds > 10);
});

Deno.test("the compose override traces both services and mounts files that exist", async () => {
  const { services } = parse(await read("deploy/compose.telemetry.yaml"), { merge: true });
  const base = parse(await read("compose.yaml"), { merge: true });
  for (const name of ["engine", "mcp"]) {
    assertEquals(services[name].build.args, { OTEL_DENO: "true" });
    assertEquals(services[name].image, `${base.services[name].image}-otel`);
    assertMatch(services[name].environment.KB_METRICS_TOKEN, /^\$\{KB_METRICS_TOKEN:\?/);
  }
  assertMatch(await read("Dockerfile"), /OTEL_DENO="\$OTEL_DENO" deno task compile/);
  const files = new Set((await filesBelow("deploy")).map((path) => `./${path}`));
  type Mounted = { volumes?: string[]; image: string };
  for (const [name, { volumes = [], image }] of Object.entries(services as Record<string, Mounted>)) {
    assertMatch(image, /:v?\d/, name);
    const sources = volumes.map((volume) => volume.split(":")[0]!).filter((source) => source.startsWith("."));
    assertEquals(sources.filter((source) => !files.has(source)), [], name);
  }
});

Deno.test("the proxies pass streams on, and keep metrics private", async () => {
  const nginx = await read("deploy/nginx/kb-mcp.conf");
  assertMatch(nginx, /proxy_buffering off;/);
  assertMatch(nginx, /location = \/metrics \{\s*return 404;/);
  const caddy = await read("deploy/caddy/Caddyfile");
  assertMatch(caddy, /flush_interval -1/);
  assertMatch(caddy, /respond \/metrics 404/);
});
