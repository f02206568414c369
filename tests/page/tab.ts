import type { DevTools, DevToolsEvent } from "./devtools.ts";

/** How long a condition may take to become true: only a test that fails waits for it. */
const PATIENCE_MS = 60_000;

/** A tab, used as a person does: by the roles and names of elements, with mouse and keyboard. */
export class Tab implements AsyncDisposable {
  /** Errors of the console, exceptions, violations of the policy, and requests to other origins. */
  readonly problems: string[] = [];
  /** Status codes of responses that are expected, although the console calls them errors. */
  readonly expectedStatus = new Set<number>();
  readonly #devTools: DevTools;
  readonly #target: { readonly targetId: string; readonly browserContextId: string };
  readonly #sessionId: string;
  /** Origin of the page that was opened last. */
  #origin = "";

  private constructor(
    devTools: DevTools,
    { sessionId, ...target }: { targetId: string; browserContextId: string; sessionId: string },
  ) {
    this.#devTools = devTools;
    this.#target = target;
    this.#sessionId = sessionId;
    devTools.onEvent((event) => {
      if (event.sessionId === sessionId) this.#observe(event);
    });
  }

  static async attach(
    devTools: DevTools,
    target: { targetId: string; browserContextId: string },
  ): Promise<Tab> {
    const { targetId } = target;
    const { sessionId } = await devTools.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(devTools, { ...target, sessionId });
    for (const domain of ["Page", "Runtime", "Log", "Network", "DOM", "Accessibility", "Audits"]) {
      await tab.send(`${domain}.enable`);
    }
    return tab;
  }

  // deno-lint-ignore no-explicit-any -- as DevTools
  send(method: string, params: Record<string, unknown> = {}): Promise<any> {
    return this.#devTools.send(method, params, this.#sessionId);
  }

  /** Opens a URL. With another fragment of the same page, the page stays. */
  async open(url: string): Promise<void> {
    this.#origin = new URL(url).origin;
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText) throw new Error(`Cannot open ${url}: ${errorText}`);
    await this.until("document.readyState === 'complete'", `${url} to be loaded`);
    // A change of the fragment is an event of its own: after it, the page no longer shows the former view.
    await this.until("new Promise((resolve) => setTimeout(() => resolve(true)))");
  }

  /** Evaluates an expression in the page. */
  // deno-lint-ignore no-explicit-any -- the caller knows the expression
  async evaluate(expression: string): Promise<any> {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  /** Waits until an expression is true in the page. */
  async until(expression: string, what = expression): Promise<void> {
    await this.#poll(
      async () => await this.evaluate(`Promise.resolve(${expression}).then(Boolean)`) || undefined,
      what,
    );
  }

  /** Waits until the page shows a text. */
  async sees(text: string): Promise<void> {
    await this.until(`document.body.innerText.includes(${JSON.stringify(text)})`, `the text “${text}”`);
  }

  /** Waits until the page does not show a text. */
  async misses(text: string): Promise<void> {
    await this.until(`!document.body.innerText.includes(${JSON.stringify(text)})`, `no text “${text}”`);
  }

  /** Number of elements that match a selector. */
  async count(selector: string): Promise<number> {
    return await this.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
  }

  /** Whether assistive technology finds an element with this role and name now. */
  async has(role: string, name: string): Promise<boolean> {
    return (await this.#query(role, name)).length > 0;
  }

  /** Clicks an element, which is looked up by role and accessible name, with the mouse. */
  async click(role: string, name: string): Promise<void> {
    // What still loads would move the element away from the pointer. Behind a dialog it moves nothing that is clicked.
    await this.until(
      "document.querySelector('dialog[open]') || !document.querySelector('.loading, [aria-busy]')",
      "the view to be complete",
    );
    await this.#clickNode(await this.#find(role, name));
  }

  /** Replaces the text of a field. */
  async fill(role: string, name: string, text: string): Promise<void> {
    const backendNodeId = await this.#find(role, name);
    await this.send("DOM.focus", { backendNodeId });
    await this.evaluate("document.activeElement.select()");
    if (text === "") await this.press("Delete");
    else await this.send("Input.insertText", { text });
  }

  /** Selects an option of a list by its value. */
  async select(name: string, value: string): Promise<void> {
    await this.#callOn(
      await this.#find("combobox", name),
      "function (value) { this.value = value; this.dispatchEvent(new Event('change', { bubbles: true })); }",
      [value],
    );
  }

  /** Presses a key, such as `Tab` or `Enter`. */
  async press(key: string): Promise<void> {
    const codes: Readonly<Record<string, number>> = { Tab: 9, Enter: 13, Escape: 27, Delete: 46 };
    const event = { key, code: key, windowsVirtualKeyCode: codes[key] };
    await this.send("Input.dispatchKeyEvent", {
      type: key === "Enter" ? "keyDown" : "rawKeyDown",
      ...event,
      ...(key === "Enter" ? { text: "\r" } : {}),
    });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  /** Selects files in the file field of the page. */
  async selectFiles(paths: readonly string[]): Promise<void> {
    const { result } = await this.send("Runtime.evaluate", {
      expression: "document.querySelector('input[type=file]')",
    });
    await this.send("DOM.setFileInputFiles", { files: paths, objectId: result.objectId });
  }

  /** Drops files on the element that matches a selector. */
  async dropFiles(selector: string, files: readonly string[]): Promise<void> {
    const [x, y] = await this.evaluate(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: "center", behavior: "instant" });
      const { x, y, width, height } = element.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    })()`);
    for (const type of ["dragEnter", "dragOver", "drop"]) {
      await this.send("Input.dispatchDragEvent", {
        type,
        x,
        y,
        data: { items: [], files, dragOperationsMask: 1 },
      });
    }
  }

  /** Sets the size of the window, and whether the person prefers dark colours. */
  async display({ width, isDark }: { readonly width: number; readonly isDark: boolean }): Promise<void> {
    const metrics = { width, height: 900, deviceScaleFactor: 1, mobile: false };
    await this.send("Emulation.setDeviceMetricsOverride", metrics);
    const features = [{ name: "prefers-color-scheme", value: isDark ? "dark" : "light" }];
    await this.send("Emulation.setEmulatedMedia", { features });
  }

  /** Returns a picture of the whole page, as PNG. */
  async screenshot(): Promise<Uint8Array> {
    const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true });
    return Uint8Array.fromBase64(data);
  }

  /** Goes back (-1) or forward (1) in the history of the tab. */
  async travel(steps: number): Promise<void> {
    const { currentIndex, entries } = await this.send("Page.getNavigationHistory");
    await this.send("Page.navigateToHistoryEntry", { entryId: entries[currentIndex + steps].id });
  }

  async reload(): Promise<void> {
    await this.evaluate("window.isFormer = true");
    await this.send("Page.reload");
    await this.until("!window.isFormer && document.readyState === 'complete'", "the page to be loaded again");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { browserContextId } = this.#target;
    await this.#devTools.send("Target.disposeBrowserContext", { browserContextId });
  }

  #observe({ method, params }: DevToolsEvent): void {
    switch (method) {
      case "Runtime.exceptionThrown":
        this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        break;
      case "Runtime.consoleAPICalled":
        if (["error", "warning", "assert"].includes(params.type)) {
          const values: { value?: unknown; description?: string }[] = params.args;
          this.problems.push(values.map((each) => each.description ?? String(each.value)).join(" "));
        }
        break;
      case "Log.entryAdded": {
        const { level, source, text, url } = params.entry;
        const status = Number(/status of (\d+)/.exec(text)?.[1]);
        const isExpected = source === "network" && this.expectedStatus.has(status);
        if (["error", "warning"].includes(level) && !isExpected) this.problems.push(`${text} ${url ?? ""}`);
        break;
      }
      case "Audits.issueAdded":
        if (params.issue.code === "ContentSecurityPolicyIssue") {
          this.problems.push(JSON.stringify(params.issue));
        }
        break;
      case "Network.requestWillBeSent": {
        const { url } = params.request;
        // Chromium loads the icons of its own controls from data: URLs, which the policy forbids to the page.
        if (!url.startsWith(`${this.#origin}/`) && !/^(?:about|data):/.test(url)) {
          this.problems.push(`Request to ${url}`);
        }
        break;
      }
      case "Page.javascriptDialogOpening":
        this.problems.push(`Dialog: ${params.type} ${params.message}`);
        void this.send("Page.handleJavaScriptDialog", { accept: true });
        break;
    }
  }

  async #find(role: string, name: string): Promise<number> {
    return await this.#poll(
      async () => (await this.#query(role, name))[0],
      `the ${role} “${name}”`,
    );
  }

  /** Returns the elements with a role and name that are not hidden. */
  async #query(role: string, accessibleName: string): Promise<number[]> {
    const { result } = await this.send("Runtime.evaluate", {
      // Behind a modal dialog nothing can be used.
      expression: "[...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body",
    });
    const { nodes } = await this.send("Accessibility.queryAXTree", {
      objectId: result.objectId,
      role,
      accessibleName,
    });
    const shown: { ignored: boolean; backendDOMNodeId: number }[] = nodes;
    return shown.filter(({ ignored }) => !ignored).map(({ backendDOMNodeId }) => backendDOMNodeId);
  }

  async #clickNode(backendNodeId: number): Promise<void> {
    await this.send("DOM.scrollIntoViewIfNeeded", { backendNodeId });
    const { quads } = await this.send("DOM.getContentQuads", { backendNodeId });
    const [x1, y1, , , x3, y3] = quads[0];
    const event = { x: (x1 + x3) / 2, y: (y1 + y3) / 2, button: "left", clickCount: 1 };
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", ...event });
    await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...event });
  }

  async #callOn(backendNodeId: number, functionDeclaration: string, values: unknown[]): Promise<void> {
    const { object } = await this.send("DOM.resolveNode", { backendNodeId });
    await this.send("Runtime.callFunctionOn", {
      objectId: object.objectId,
      functionDeclaration,
      arguments: values.map((value) => ({ value })),
    });
  }

  /** Repeats a question to the page with each frame that it draws, until it has an answer. */
  async #poll<T>(ask: () => Promise<T | undefined>, what: string): Promise<T> {
    const end = performance.now() + PATIENCE_MS;
    let problem: unknown;
    while (performance.now() < end) {
      try {
        const answer = await ask();
        if (answer !== undefined) return answer;
        await this.evaluate("new Promise((resolve) => setTimeout(resolve, 20))");
      } catch (error) {
        // The document changed meanwhile.
        problem = error;
      }
    }
    const text = await this.evaluate("`${location.hash}\\n${document.body.innerText.slice(0, 3000)}`").catch(
      String,
    );
    throw new Error(`Waited in vain for ${what}. The page shows:\n${text}`, { cause: problem });
  }
}
