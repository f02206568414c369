/**
 * Permissions of the program besides that to start itself. It cannot load native libraries (`--allow-ffi`), read
 * other facts about the host (`--allow-sys`) or import remote code (`--allow-import`); a missing permission is denied
 * without a prompt.
 */
const COMMON_PERMISSIONS: readonly string[] = [
  "--no-prompt",
  // The bound address and the engine's URL are only known at run time.
  "--allow-net",
  // The data directory and `KB_*_FILE` secrets.
  "--allow-read",
  // Settings, the user's data directory, hosts without a proxy, and where Deno and Windows find their files. (The
  // temporary directory needs no variable here.)
  "--allow-env=KB_*,HOME,XDG_DATA_HOME,XDG_CACHE_HOME,XDG_CONFIG_HOME,LOCALAPPDATA,NO_PROXY,no_proxy,DENO_DIR,NPM_CONFIG_REGISTRY,SystemRoot",
  // `doctor` reports the free space of the disk. Threads that store documents lower their priority.
  "--allow-sys=statfs,getPriority,setPriority",
  // Any other variable, such as a library's DEBUG, reads as unset instead of ending the program.
  "--ignore-env",
];

/**
 * Permissions of a run with Deno. `/proc/self/exe` names the running program on Linux; elsewhere, the `deno` on
 * PATH has to do. Both are Deno itself, which can be started with any permission: docs/decisions/d21.
 */
export const RUN_PERMISSIONS: readonly string[] = [
  ...COMMON_PERMISSIONS,
  "--allow-write",
  "--allow-run=/proc/self/exe,deno",
];

/**
 * Returns the permissions that `deno task compile` bakes into an executable. On Linux it can start only itself,
 * under any name and in any folder. Other systems have no name for the running program, and a path would fix the
 * place of installation, so there every program is permitted.
 *
 * @param options.writable Paths that it may write to: the data directory, and the temporary directory, in which
 * uploads are staged. @default everything, because both are only known at run time
 */
export function executablePermissions(
  target: string,
  { writable }: { writable?: string } = {},
): readonly string[] {
  return [
    ...COMMON_PERMISSIONS,
    writable === undefined ? "--allow-write" : `--allow-write=${writable}`,
    target.includes("linux") ? "--allow-run=/proc/self/exe" : "--allow-run",
  ];
}

/** Runtime flags, for runs without deno.json. */
export const RUNTIME_FLAGS: readonly string[] = [
  // A request's signal aborts only when its client disconnects; with the legacy behaviour it also aborts after each
  // response, which halves throughput.
  "--unstable-no-legacy-abort",
  // The youngest objects of each thread take at most 12 MiB instead of 48, which V8 keeps after a burst of requests; 6
  // MiB would cost some percent more processor time. Older objects are collected when they have grown by 80 %, not to up
  // to four times as much.
  "--v8-flags=--max-semi-space-size=4,--heap-growing-percent=80",
];
