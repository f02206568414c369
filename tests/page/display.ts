import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import type { Agent } from "../support/mcp_client.ts";
import type { Scene, Section } from "./section.ts";

/** Views with a text that each shows when it is complete. */
const VIEWS = {
  search: ["search?q=router&collection=memory", "score"],
  documents: ["documents", "By type"],
  document: ["document/1?at=0&q=router", "version"],
  edit: ["document/1?edit=1", "Save"],
  add: ["add", "or drop them here"],
  trash: ["trash", "deleted document"],
  status: ["status", "Unfinished uploads"],
} as const;

const WIDE = "https://example.com/a-very-long-address-without-a-place-to-break/".repeat(4);

async function addDocuments(agent: Agent): Promise<void> {
  const text =
    `---\nlink: ${WIDE}\nstatus: final\n---\n# Router\n\nThe router of the office has the address ` +
    `192.168.1.1. Its manual is at ${WIDE}.\n\n## Password\n\nThe password of the router is in the safe.`;
  await agent.call("kb_addnote", { text, title: "Office network", collection: "memory", tags: ["net"] });
  await agent.call("kb_addnote", { text: `Router list: ${"x".repeat(300)}`, collection: "memory" });
  await agent.call("kb_addnote", { text: "To be deleted." });
  await agent.call("kb_delete", { document_id: 3 });
}

async function showView({ tab, open }: Pick<Scene, "tab" | "open">, view: keyof typeof VIEWS): Promise<void> {
  const [fragment, expected] = VIEWS[view];
  await open(fragment);
  await tab.sees(expected);
  await tab.until("!document.querySelector('.loading, [aria-busy]')");
}

/** Lists texts whose contrast is below 4.5 (WCAG 2.2, 1.4.3). */
const LOW_CONTRAST = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const parse = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const color = parse(getComputedStyle(each).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if (!hasText && !element.matches("input, textarea, select")) continue;
    if (!element.checkVisibility()) continue;
    const [a, b] = [luminance(parse(getComputedStyle(element).color)), luminance(background(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) low.push(element.outerHTML.slice(0, 80) + " " + contrast.toFixed(2));
  }
  return low;
})()`;

/** Controls that assistive technology cannot name. */
const UNNAMED = `[...document.querySelectorAll("input, select, textarea")]
  .filter((e) => e.labels.length === 0 && !e.getAttribute("aria-label")).map((e) => e.outerHTML)`;

/** Narrow windows, dark colours, contrast, keyboard and labels. */
export const display: Section = {
  name: "display",
  async run(scene) {
    const { tab, agent, open, check } = scene;
    await addDocuments(agent);
    const views = Object.keys(VIEWS) as (keyof typeof VIEWS)[];
    await check("no view scrolls sideways in a window of 320 pixels", async () => {
      await tab.display({ width: 320, isDark: false });
      for (const view of views) {
        await showView(scene, view);
        assertEquals([view, await tab.evaluate("document.documentElement.scrollWidth")], [view, 320]);
      }
    });
    for (const isDark of [false, true]) {
      await check(
        `texts have contrast in ${isDark ? "dark" : "light"} colours, and controls have names`,
        async () => {
          await tab.display({ width: 1100, isDark });
          for (const view of views) {
            await showView(scene, view);
            await tab.until("document.getAnimations().length === 0");
            assertEquals([view, await tab.evaluate(LOW_CONTRAST), await tab.evaluate(UNNAMED)], [
              view,
              [],
              [],
            ]);
            assertEquals([view, await tab.count("h1")], [view, 1]);
          }
        },
      );
    }
    await check("the keyboard reaches the content, and a new view takes the focus", async () => {
      await open("documents");
      await tab.sees("By type");
      await tab.reload();
      await tab.sees("By type");
      await tab.press("Tab");
      assertEquals(await tab.evaluate("document.activeElement.textContent"), "Skip to content");
      await tab.press("Enter");
      await tab.until("document.activeElement.id === 'main'");
      assertEquals(await tab.evaluate("location.hash"), "#/documents");
      await tab.click("link", "Trash");
      await tab.until(
        "document.activeElement.matches('h1') && document.activeElement.textContent === 'Trash'",
      );
      assertEquals(await tab.evaluate("document.title"), "Trash · Knowledge base");
      assert(await tab.evaluate("document.querySelector('nav [aria-current]').textContent === 'Trash'"));
    });
  },
};

/** Writes pictures of all views, in light and dark colours and in a narrow window. */
export function screenshots(folder: string): Section {
  return {
    name: "screenshots",
    async run(scene) {
      const { tab, agent, check } = scene;
      await addDocuments(agent);
      await Deno.mkdir(folder, { recursive: true });
      const displays = { light: [1100, false], dark: [1100, true], narrow: [320, false] } as const;
      for (const [name, [width, isDark]] of Object.entries(displays)) {
        await check(name, async () => {
          await tab.display({ width, isDark });
          for (const view of Object.keys(VIEWS) as (keyof typeof VIEWS)[]) {
            await showView(scene, view);
            await Deno.writeFile(join(folder, `${name}-${view}.png`), await tab.screenshot());
          }
        });
      }
    },
  };
}
