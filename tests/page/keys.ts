import { assert, assertEquals } from "@std/assert";
import { tools } from "../../src/tools/mod.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";
import type { Section } from "./section.ts";

const KEY = "page-key-of-the-tests";

/** A server with a key. */
export const key: Section = {
  name: "key",
  server: { env: { KB_MCP_API_KEY: KEY } },
  token: KEY,
  async run({ tab, url, agent, open, check }) {
    tab.expectedStatus.add(401);
    await agent.call("kb_addnote", { text: "A secret about submarines.", title: "Submarines" });

    await check("the page itself needs no key and has no data", async () => {
      const response = await fetch(`${url}/`, { headers: { accept: "text/html" } });
      assertEquals(response.status, 200);
      assert(!(await response.text()).includes("ubmarine"));
    });
    await check("the key is asked for, a wrong one again, and then the view is shown", async () => {
      await open("documents");
      await tab.fill("textbox", "Key", "wrong");
      await tab.press("Enter");
      await tab.sees("The server does not accept this key.");
      await tab.fill("textbox", "Key", "two words");
      await tab.click("button", "Continue");
      await tab.until("document.querySelector('dialog input:invalid')");
      await tab.fill("textbox", "Key", KEY);
      await tab.click("button", "Continue");
      await tab.sees("Submarines");
      assertEquals(await tab.evaluate("location.hash"), "#/documents");
    });
    await check("the key is kept for this tab only, and not in the address", async () => {
      await tab.reload();
      await tab.sees("Submarines");
      assertEquals(
        await tab.evaluate("[localStorage.length, document.cookie, Object.values(sessionStorage).join()]"),
        [0, "", KEY],
      );
      assert(!(await tab.evaluate("location.href")).includes(KEY));
    });
    await check("a key that is refused in the middle is asked for, and the call repeated", async () => {
      await open("add");
      await tab.fill("textbox", "Title", "Airships");
      await tab.fill("textbox", "Text (Markdown)", "Typed before the key has changed.");
      await tab.evaluate("sessionStorage.setItem(sessionStorage.key(0), 'former-key')");
      await tab.click("button", "Add note");
      await tab.sees("The server does not accept this key.");
      assertEquals(
        await tab.evaluate("document.querySelector('textarea').value"),
        "Typed before the key has changed.",
      );
      await tab.fill("textbox", "Key", KEY);
      await tab.press("Enter");
      await tab.sees("Added: Airships");
    });
    await check("without a key the form stays", async () => {
      await tab.fill("textbox", "Text (Markdown)", "Typed without a key.");
      await tab.evaluate("sessionStorage.clear()");
      await tab.click("button", "Add note");
      await tab.click("button", "Cancel");
      await tab.sees("The server needs a key.");
      assertEquals(await tab.evaluate("document.querySelector('textarea').value"), "Typed without a key.");
      await tab.click("button", "Add note");
      await tab.fill("textbox", "Key", KEY);
      await tab.press("Enter");
      await tab.sees("Added: Typed without a key.");
    });
    await check("files that wait ask for the key once", async () => {
      await using folder = await temporaryFolder({
        "a.txt": "About kites.",
        "b.txt": "About gliders.",
        "c.txt": "About balloons.",
      });
      await tab.evaluate("sessionStorage.clear()");
      await tab.selectFiles(["a", "b", "c"].map((name) => `${folder.path}/${name}.txt`));
      await tab.click("button", "Cancel");
      await tab.until("document.querySelectorAll('.uploads .notice.error').length === 1");
      assertEquals(await tab.count("dialog"), 0);
      await tab.click("button", "Try a.txt again");
      await tab.fill("textbox", "Key", KEY);
      await tab.press("Enter");
      await tab.until("document.querySelectorAll('.uploads .notice.ok').length === 3");
    });
    await check("signing out forgets the key and what it has shown", async () => {
      await open("documents");
      await tab.sees("Submarines");
      await tab.click("button", "Sign out");
      await tab.until("document.querySelector('dialog')");
      await tab.misses("Submarines");
      assertEquals(await tab.evaluate("sessionStorage.length"), 0);
      await tab.click("button", "Cancel");
      await tab.click("button", "Enter the key");
      await tab.fill("textbox", "Key", KEY);
      await tab.press("Enter");
      await tab.sees("Submarines");
    });
  },
};

const READ_TOOLS = ["kb_search", "kb_get", "kb_list"];

/** A key that may only read: what it may not do is not offered. */
export const limitedKey: Section = {
  name: "limited key",
  server: { tools: tools.filter(({ name }) => READ_TOOLS.includes(name)) },
  async run({ tab, open, check }) {
    await check("only the allowed views are offered", async () => {
      await open("search");
      await tab.until("document.querySelectorAll('nav a').length === 2");
      assertEquals(
        await tab.evaluate("[...document.querySelectorAll('nav a')].map((a) => a.textContent)"),
        ["Search", "Documents"],
      );
      for (const view of ["add", "trash", "status"]) {
        await open(view);
        await tab.sees("The key does not allow this.");
      }
    });
  },
};
