import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Section } from "./section.ts";

const TEXT = "textbox";

/** Adding, editing, moving, deleting and restoring notes, also while others change them. */
export const writing: Section = {
  name: "writing",
  async run({ tab, agent, open, check }) {
    const get = async (id: unknown) =>
      (await agent.call("kb_get", { document_id: id })).structured as {
        title: string;
        version: number;
        collection?: string;
        chunks: { text: string }[];
      };
    const textOf = async (id: unknown) => (await get(id)).chunks.map(({ text }) => text).join("");
    let id: unknown;

    await check("a note is added", async () => {
      await open("add");
      await tab.fill(TEXT, "Title", "Garden");
      await tab.fill(
        TEXT,
        "Text (Markdown)",
        "---\nstatus: draft\n---\n# Garden\n\nWater the ferns on Monday.",
      );
      await tab.evaluate("document.querySelector('form [name=tags]').value = 'plants, home'");
      await tab.select("Collection", "memory");
      await tab.click("button", "Add note");
      await tab.sees("Added: Garden");
      assertEquals(await tab.evaluate("document.querySelector('form textarea').value"), "");
      await tab.click("link", "Garden");
      await tab.sees("Water the ferns");
      await tab.sees("#plants");
      await tab.sees("draft");
      id = Number(/document\/(\d+)/.exec(await tab.evaluate("location.hash"))?.[1]);
      assertEquals((await get(id)).collection, "memory");
    });
    await check("an unsaved note asks before it is left", async () => {
      await open("add");
      await tab.fill(TEXT, "Text (Markdown)", "Half a thought");
      await tab.click("link", "Search");
      await tab.click("button", "Keep editing");
      await tab.until("!document.querySelector('dialog')");
      assertMatch(await tab.evaluate("location.hash"), /^#\/add/);
      assertEquals(await tab.evaluate("document.querySelector('textarea').value"), "Half a thought");
      await tab.travel(-1);
      await tab.click("button", "Leave");
      await tab.until("!location.hash.startsWith('#/add')");
      await tab.misses("Text (Markdown)");
    });
    await check("an edit changes title and text", async () => {
      await open(`document/${id}`);
      await tab.click("link", "Edit");
      await tab.fill(TEXT, "Title", "Ferns");
      await tab.fill(TEXT, "Text (Markdown)", "# Garden\n\nWater the ferns on Tuesday.");
      await tab.click("button", "Save");
      await tab.sees("version 2");
      await tab.sees("Tuesday");
      assertEquals((await get(id)).title, "Ferns");
    });
    await check("an edit of nothing changes nothing", async () => {
      await tab.click("link", "Edit");
      await tab.click("button", "Save");
      await tab.sees("version 2");
      await tab.misses("Text (Markdown)");
      assertEquals((await get(id)).version, 2);
    });
    await check("an edit never overwrites a change of somebody else unseen", async () => {
      await tab.click("link", "Edit");
      await tab.fill(TEXT, "Text (Markdown)", "Mine.");
      await agent.call("kb_update_note", { document_id: id, text: "Theirs." });
      await tab.click("button", "Save");
      await tab.sees("Deno changed this document");
      assertEquals(await textOf(id), "Theirs.");
      assertEquals(await tab.evaluate("document.querySelector('textarea').value"), "Mine.");
      await tab.click("button", "Show the current text");
      await tab.sees("Theirs.");
      await agent.call("kb_update_note", { document_id: id, text: "Theirs again." });
      await tab.click("button", "Save mine over it");
      await tab.until("!document.querySelector('.current')");
      await tab.sees("Deno changed this document");
      assertEquals(await textOf(id), "Theirs again.");
      await tab.click("button", "Save mine over it");
      await tab.sees("version 5");
      assertEquals(await textOf(id), "Mine.");
    });
    await check("an error keeps the form", async () => {
      await tab.click("link", "Edit");
      await tab.fill(TEXT, "Title", "T".repeat(499));
      await tab.fill(TEXT, "Text (Markdown)", "Kept.");
      await agent.call("kb_delete", { document_id: id });
      await tab.click("button", "Save");
      await tab.until("document.querySelector('form [role=alert]')", "the error");
      assertEquals(await tab.evaluate("document.querySelector('textarea').value"), "Kept.");
      await agent.call("kb_restore", { document_id: id });
      await tab.click("button", "Cancel");
      await tab.click("button", "Leave");
      await tab.sees("Mine.");
    });
    await check("a document moves to another collection", async () => {
      await open("documents");
      await open(`document/${id}`);
      await tab.until("document.querySelectorAll('select[name=collection] option').length > 2");
      await tab.select("Collection", "workspace");
      await tab.click("button", "Move");
      await tab.until("document.querySelector('.facts .chip')?.textContent === 'workspace'");
      assertEquals((await get(id)).collection, "workspace");
      await tab.until("document.querySelectorAll('select[name=collection] option').length > 2");
      await tab.select("Collection", "");
      await tab.click("button", "Move");
      await tab.until("document.querySelector('h1') && !document.querySelector('.facts .chip')");
      assertEquals((await get(id)).collection, undefined);
    });
    await check("a former version is shown and restored", async () => {
      await tab.click("DisclosureTriangle", "Former versions");
      await tab.click("button", "Show version 3");
      await tab.until("document.querySelector('.former')?.textContent === 'Theirs.'");
      await tab.click("button", "Restore version 3");
      await tab.click("button", "Restore");
      await tab.until("document.querySelector('.text')?.textContent === 'Theirs.'");
    });
    await check("a document that somebody has changed since is not deleted", async () => {
      await tab.until("!document.querySelector('dialog')");
      await agent.call("kb_edit", { document_id: id, title: "Changed meanwhile" });
      await tab.click("button", "Move to trash");
      await tab.click("button", "Move to trash");
      await tab.sees("Nothing was changed: Deno");
      assertEquals((await get(id)).title, "Changed meanwhile");
    });
    await check("deleting asks, and can be undone at once", async () => {
      await tab.reload();
      await tab.click("button", "Move to trash");
      await tab.press("Escape");
      await tab.until("!document.querySelector('dialog')");
      await tab.sees("Theirs.");
      await tab.click("button", "Move to trash");
      await tab.click("button", "Move to trash");
      await tab.sees("can be restored until");
      assert((await agent.call("kb_get", { document_id: id })).isError);
      await tab.click("button", "Undo");
      await tab.sees("Theirs.");
    });
    await check("the trash lists deleted documents and restores them", async () => {
      await agent.call("kb_delete", { document_id: id });
      await open("trash");
      await tab.sees("1 deleted document");
      await tab.sees("by Deno");
      await tab.click("button", "Restore Changed meanwhile");
      await tab.sees("Restored: Changed meanwhile");
      await tab.click("link", "Changed meanwhile");
      await tab.sees("Theirs.");
      await open("trash");
      await tab.sees("The trash is empty.");
    });
  },
};
