import { assertEquals } from "@std/assert";
import { join } from "node:path";
import type { Section } from "./section.ts";

const MESSAGE = `From: harbour@example.com
To: crew@example.com
Subject: Timetable
Date: Mon, 02 Nov 2026 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

The table is attached.
--b
Content-Type: text/plain; name=tides.txt
Content-Disposition: attachment; filename=tides.txt

The tide table of the harbour.
--b--
`.replaceAll("\n", "\r\n");

/** Files that are selected and dropped. */
export const uploads: Section = {
  name: "uploads",
  async run({ tab, agent, open, check }) {
    const folder = await Deno.makeTempDir({ prefix: "kb-mcp-page-files-" });
    const write = async (name: string, text: string) => {
      const path = join(folder, name);
      await Deno.writeTextFile(path, text);
      return path;
    };
    try {
      const paths = await Promise.all([
        write("first.txt", "The first file is about lighthouses."),
        write("second.html", "<h1>Second</h1><p>The second file is about harbours.</p>"),
        write("ümläut '\"<b>.md", "# Third\n\nThe third file is about ferries."),
        write("program.exe", "MZ"),
        write("large.txt", "Line of a large file about cranes and docks.\n".repeat(60_000)),
      ]);
      await check("several files are uploaded, and the one that cannot be read says why", async () => {
        await open("add");
        await tab.until("document.querySelector('input[type=file]')");
        await tab.selectFiles(paths);
        await tab.until("document.querySelectorAll('.uploads > li').length === 5");
        await tab.until("document.querySelectorAll('.uploads .notice.ok').length === 4", "four files");
        await tab.until("document.querySelectorAll('.uploads .notice.error').length === 1", "one error");
        assertEquals(await tab.has("button", "Try program.exe again"), true);
        const { structured } = await agent.call("kb_list", {});
        assertEquals(structured.total, 4);
      });
      await check("an uploaded file opens", async () => {
        await tab.click("link", "second.html");
        await tab.sees("about harbours");
        await tab.sees("html");
        assertEquals(await tab.has("link", "Edit"), true);
      });
      await check("files have a title that can be edited, and no text", async () => {
        await tab.click("link", "Edit");
        await tab.fill("textbox", "Title", "Harbours");
        assertEquals(await tab.count("textarea"), 0);
        await tab.click("button", "Save");
        await tab.until("document.querySelector('h1')?.textContent === 'Harbours'");
      });
      await check("files are dropped", async () => {
        await open("add");
        await tab.until("document.querySelector('.drop')");
        await tab.dropFiles(".drop", [await write("dropped.txt", "This one is about buoys.")]);
        await tab.sees("Added: dropped.txt");
      });
      await check("a file next to the field does not replace the page", async () => {
        await tab.dropFiles("#note-title", [await write("missed.txt", "This one is about anchors.")]);
        assertEquals(await tab.evaluate("location.pathname"), "/");
        await tab.misses("missed.txt");
      });
      await check("a message names its attachments, and they name the message", async () => {
        await tab.selectFiles([await write("letter.eml", MESSAGE)]);
        await tab.click("link", "letter.eml");
        await tab.click("link", "tides.txt");
        await tab.sees("The tide table of the harbour.");
        await tab.until("[...document.querySelectorAll('dt')].some((e) => e.textContent === 'Attached to')");
      });
      await check("a file that cannot be read fails with the reason, also in the list of jobs", async () => {
        await open("add");
        await tab.until("document.querySelector('input[type=file]')");
        await tab.selectFiles([await write("broken.pdf", "%PDF-1.7\nnothing else")]);
        await tab.until("document.querySelector('.uploads .notice.error')");
        await open("status?jobs=failed");
        await tab.sees("broken.pdf");
        const failed = "document.querySelectorAll('.rows > li .chip.failed').length";
        assertEquals(await tab.evaluate(failed), 1);
        await tab.click("button", "Retry broken.pdf");
        await tab.until(`${failed} === 0`, "the job to be queued again");
      });
      await check("the same file again is recognized", async () => {
        await open("add");
        await tab.until("document.querySelector('input[type=file]')");
        await tab.selectFiles([paths[0]!]);
        await tab.sees("Stored already: first.txt");
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
};
