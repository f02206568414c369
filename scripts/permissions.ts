/**
 * Permissions of the program, baked into the executable by `deno task compile`. It cannot start programs
 * (`--allow-run`), load native libraries (`--allow-ffi`), read facts about the host (`--allow-sys`) or import remote
 * code (`--allow-import`); a missing permission is denied without a prompt.
 */
export const PERMISSIONS: readonly string[] = [
  "--no-prompt",
  // The bound address and the engine's URL are only known at run time.
  "--allow-net",
  // The data directory and `KB_*_FILE` secrets.
  "--allow-read",
  // The data directory and the staging directory of uploads.
  "--allow-write",
  // Settings, and the user's data directory. (The temporary directory needs no variable here.)
  "--allow-env=KB_*,HOME,XDG_DATA_HOME,LOCALAPPDATA",
  // Any other variable, such as a library's DEBUG, reads as unset instead of ending the program.
  "--ignore-env",
];

/**
 * Runtime flags, for runs without deno.json. A request's signal aborts only when its client disconnects; with the
 * legacy behaviour it also aborts after each response, which halves throughput.
 */
export const RUNTIME_FLAGS: readonly string[] = ["--unstable-no-legacy-abort"];
