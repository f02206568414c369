#!/usr/bin/env node
/**
 * Starts kb-mcp with the Deno of the `deno` package, which is a dependency of this package.
 *
 * Standard input and output belong to the program alone: `kb-mcp stdio` speaks a protocol over them. So this file
 * writes to standard error only.
 */
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");
// Written by `deno task package`: the program's permissions and runtime flags.
const { flags } = require("./flags.json");

/** Interval of checks whether the shell of npm still runs, in milliseconds. */
const PARENT_CHECK_MS = 500;

/** Returns the path of Deno's executable, which the `deno` package chooses for this platform. */
function denoExecutable() {
  try {
    return require("deno/install_api.cjs").runInstall();
  } catch (error) {
    throw new Error(
      `Cannot find Deno for ${process.platform} ${process.arch}: ${error.message}\n` +
        "Reinstall kb-mcp with optional dependencies, which contain Deno: npm install --include=optional kb-mcp",
    );
  }
}

/** Starts the program and forwards signals to it until it exits. */
function run() {
  const deno = denoExecutable();
  // The program may run "deno" only, as itself, to read uploaded files.
  process.env.PATH = [path.dirname(deno), process.env.PATH].join(path.delimiter);
  // The program stops when this process ends without forwarding a signal.
  process.env.KB_MCP_LAUNCHER = String(process.pid);
  process.env.DENO_NO_UPDATE_CHECK = "1";
  process.env.DENO_NO_PACKAGE_JSON = "1";
  const program = path.join(__dirname, "program", "main.js");
  const child = spawn(deno, ["run", ...flags, program, ...process.argv.slice(2)], { stdio: "inherit" });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"];
  for (const signal of signals) {
    try {
      process.on(signal, () => {
        // A Windows console signals all its processes itself, and `kill` would end the child without a shutdown.
        if (process.platform !== "win32") child.kill(signal);
      });
    } catch {
      // The platform has no such signal.
    }
  }
  watchParent(() => child.kill("SIGTERM"));
  child.on("error", fail);
  child.on("exit", (code, signal) => {
    if (signal === null) return process.exit(code);
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

/**
 * Calls a function when the parent process has ended. npx and `npm run` start programs in a shell, which a signal to
 * npm ends without forwarding it. A program that npm did not start may outlive its parent, as a daemon does.
 */
function watchParent(onEnd) {
  if (process.env.npm_command === undefined || process.platform === "win32") return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onEnd();
  }, PARENT_CHECK_MS);
  timer.unref();
}

function fail(error) {
  process.stderr.write(`kb-mcp: ${error.message.replaceAll("\n", "\nkb-mcp: ")}\n`);
  process.exit(1);
}

try {
  run();
} catch (error) {
  fail(error);
}
