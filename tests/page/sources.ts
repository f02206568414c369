import { assertEquals } from "@std/assert";
import { join } from "node:path";
import type { Section } from "./section.ts";

/** Folders that the server follows. */
export function sources(folder: string): Section {
  return {
    name: "sources",
    server: { env: { KB_SOURCES: `${folder}:library:ro` } },
    async run({ tab, agent, open, check }) {
      await agent.call("kb_reindex", { source: "library" });
      await check("the status lists sources with their sections", async () => {
        await open("status");
        await tab.sees("2 documents");
        assertEquals(await tab.has("link", "poems 1"), true);
      });
      await check("a source is synchronized", async () => {
        await Deno.writeTextFile(join(folder, "poems", "second.md"), "# Second\n\nA poem about rain.\n");
        await tab.click("button", "Synchronize library");
        await tab.sees("3 documents");
      });
      await check("a section leads to its documents", async () => {
        await tab.click("link", "poems 1");
        await tab.sees("Second");
        await tab.until("document.querySelectorAll('.rows > li').length === 2");
        await tab.misses("Rules");
      });
    },
  };
}
