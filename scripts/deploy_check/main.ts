/**
 * `deno task deploy-check`: checks the files of `deploy` with the programs that read them. Starts nginx and Caddy in
 * front of a server and drives it through them. A missing program is reported as skipped. The last line counts the
 * checks.
 *
 * @module
 */
import { Checks } from "../checks.ts";
import { print } from "../print.ts";
import { checkProxies } from "./proxies.ts";
import { runTool, SkippedError } from "./tools.ts";

const checks = new Checks("deploy");
const directory = await Deno.makeTempDir({ prefix: "kb-mcp-deploy-" });

/** Runs a check, and continues with the next one if it fails or its program is missing. */
async function check(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof SkippedError) return print(`${name}: skipped: ${error.message}`);
    // Counts and prints it.
    await checks.check(name, () => Promise.reject(error)).catch(() => {});
    return;
  }
  await checks.check(name, () => Promise.resolve());
}

/** systemd refuses a unit whose program does not exist, so another one takes its place. */
async function checkUnit(): Promise<void> {
  const unit = await Deno.readTextFile("deploy/systemd/kb-mcp.service");
  const path = `${directory}/kb-mcp.service`;
  await Deno.writeTextFile(path, unit.replace("/usr/local/bin/kb-mcp", "/bin/true"));
  await runTool(["systemd-analyze", "verify", path], { silent: true });
  await runTool(["systemd-analyze", "security", "--offline=true", "--threshold=20", path]);
}

/** `plistlib` of Python accepts what Apple's parser accepts. */
async function checkPropertyList(): Promise<void> {
  const program = 'import plistlib, sys; plistlib.load(open(sys.argv[1], "rb"))["ProgramArguments"]';
  await runTool(["python3", "-c", program, "deploy/launchd/kb-mcp.plist"]);
}

async function checkPrometheus(): Promise<void> {
  await runTool(["promtool", "check", "config", "--syntax-only", "deploy/telemetry/prometheus.yaml"]);
}

try {
  await check("systemd unit", checkUnit);
  await check("launchd property list", checkPropertyList);
  await check(
    "Kubernetes manifest",
    () => runTool(["kubernetes-validate", "--strict", "deploy/kubernetes/kb-mcp.yaml"]),
  );
  await check("Prometheus configuration", checkPrometheus);
  await checkProxies({ directory, check });
} finally {
  await Deno.remove(directory, { recursive: true });
}
print(`${checks.passed} passed, ${checks.failed} failed`);
Deno.exit(checks.failed === 0 ? 0 : 1);
