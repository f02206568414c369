/**
 * Everything that the program may do, baked into the executable by `deno task compile`. Not among it: starting programs
 * (`--allow-run`), native libraries (`--allow-ffi`), facts about the host (`--allow-sys`), code from elsewhere
 * (`--allow-import`). Whatever is missing is refused without asking.
 */
export const PERMISSIONS: readonly string[] = [
  "--no-prompt",
  // Binds the configured address, calls the configured engine: neither is known before it runs.
  "--allow-net",
  // The data directory and KB_…_FILE secrets.
  "--allow-read",
  // The data directory and the staging directory for uploads.
  "--allow-write",
  // Its own settings, and where the user's data belongs. (The temporary directory is found without asking here.)
  "--allow-env=KB_*,HOME,XDG_DATA_HOME,LOCALAPPDATA",
  // Any other variable (a library that looks for DEBUG, say) reads as unset instead of ending the program.
  "--ignore-env",
];

/**
 * How the runtime behaves. A request's signal aborts only when its client goes away, as deno.json has it for the sources:
 * otherwise each answer aborts too, with a warning and at the price of half the speed.
 */
export const RUNTIME_FLAGS: readonly string[] = ["--unstable-no-legacy-abort"];
