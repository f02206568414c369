import { DevTools } from "./devtools.ts";
import { Tab } from "./tab.ts";

/** Names of Chromium in Debian and elsewhere. */
const PROGRAMS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** A headless Chromium with a profile of its own. */
export class Browser implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #drained: Promise<unknown>;
  readonly #profile: string;
  readonly #devTools: DevTools;

  private constructor(
    child: Deno.ChildProcess,
    { drained, profile, devTools }: { drained: Promise<unknown>; profile: string; devTools: DevTools },
  ) {
    this.#child = child;
    this.#drained = drained;
    this.#profile = profile;
    this.#devTools = devTools;
  }

  /** @throws {Error} When Chromium is not installed, or ends before it is ready. */
  static async launch(): Promise<Browser> {
    const profile = await Deno.makeTempDir({ prefix: "kb-mcp-page-" });
    const child = spawn([
      "--headless=new",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      // Names of the tests reach this machine, any other name reaches nothing.
      "--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
      // Chromium's own requests, and what a busy container lacks.
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-dev-shm-usage",
      "--no-first-run",
      "--disable-gpu",
      "--hide-scrollbars",
      ...(Deno.build.os === "linux" && Deno.uid() === 0 ? ["--no-sandbox"] : []),
    ]);
    const address = Promise.withResolvers<string>();
    const drained = (async () => {
      let output = "";
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
        output = (output + text).slice(-10_000);
        const url = /DevTools listening on (ws:\S+)\s/.exec(output)?.[1];
        if (url !== undefined) address.resolve(url);
      }
      address.reject(new Error(`Chromium ended before it was ready:\n${output}`));
    })();
    try {
      const devTools = await DevTools.connect(await address.promise);
      return new Browser(child, { drained, profile, devTools });
    } catch (error) {
      await child.status;
      await Deno.remove(profile, { recursive: true });
      throw error;
    }
  }

  /** Opens a tab with cookies and storage of its own. */
  async newTab(): Promise<Tab> {
    const { browserContextId } = await this.#devTools.send("Target.createBrowserContext");
    const { targetId } = await this.#devTools.send("Target.createTarget", {
      url: "about:blank",
      browserContextId,
    });
    return await Tab.attach(this.#devTools, { targetId, browserContextId });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The connection closes before the command has a result.
    await this.#devTools.send("Browser.close").catch(() => {});
    await this.#child.status;
    await this.#drained;
    await this.#devTools[Symbol.asyncDispose]();
    await Deno.remove(this.#profile, { recursive: true });
  }
}

function spawn(args: readonly string[]): Deno.ChildProcess {
  for (const program of PROGRAMS) {
    try {
      return new Deno.Command(program, { args: [...args], stdin: "null", stdout: "null", stderr: "piped" })
        .spawn();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  throw new Error("Chromium is not installed: apt-get install chromium");
}
