import { assert, assertEquals } from "@std/assert";
import type { Section } from "./section.ts";

const SCRIPT = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>";
const TITLE = `<img src=x onerror="window.hacked = 2"> ${SCRIPT}`;
const NOTE = `---
link: "javascript:window.hacked=3"
"${"<b onclick=window.hacked=4>"}": "data:text/html,<script>1</script>"
page: https://user:pass@example.com/"onmouseover="x
---
# ${SCRIPT}

zeppelin </textarea></p>${SCRIPT}<a href="javascript:window.hacked=5">x</a><svg onload="window.hacked=6"><style>*{display:none}</style>
`;

/** Documents that attack their reader: whatever they contain is text. */
export const hostile: Section = {
  name: "hostile documents",
  async run({ tab, agent, open, check }) {
    const { structured, isError, text } = await agent.call("kb_addnote", {
      text: NOTE,
      title: TITLE,
      tags: ["<b>tag</b>"],
      source_path: "javascript:alert(1)//<img src=x onerror=window.hacked=7>.md",
    });
    assert(!isError, text);
    const id = structured.document_id;
    await agent.call("kb_edit", { document_id: id, append: SCRIPT });

    const views = {
      "search results": ["search?q=zeppelin", "score"],
      "the filters of a search": [
        `search?q=${encodeURIComponent(SCRIPT)}&collection=${encodeURIComponent(SCRIPT)}`,
        "Filters",
      ],
      documents: ["documents", "By type"],
      "a document": [`document/${id}?at=0&q=zeppelin`, "javascript:alert(1)"],
      "the edit form": [`document/${id}?edit=1`, "Save"],
      "the jobs": ["status", "Recent jobs"],
      "an unknown id": [`document/${encodeURIComponent(SCRIPT)}`, "Try again"],
    } as const;
    const isHarmless = async () => {
      await tab.until("!document.querySelector('.loading, [aria-busy]')");
      assertEquals(await tab.evaluate("window.hacked"), undefined);
      assertEquals(await tab.count("main :is(script, style, img, svg, iframe, b[onclick])"), 0);
      assertEquals(
        await tab.evaluate(
          "[...document.querySelectorAll('a[href]')].map((a) => a.protocol).filter((p) => !/^https?:$/.test(p))",
        ),
        [],
      );
    };
    for (const [name, [fragment, expected]] of Object.entries(views)) {
      await check(`${name} show markup as text`, async () => {
        await open(fragment);
        await tab.sees(expected);
        await isHarmless();
      });
    }
    await check("versions and contents show markup as text", async () => {
      await open(`document/${id}`);
      await tab.click("DisclosureTriangle", "Former versions");
      await tab.click("button", "Show version 1");
      await tab.until("document.querySelector('.former')");
      await tab.click("DisclosureTriangle", "Contents");
      await tab.until("document.querySelector('.contents li')");
      await isHarmless();
      await tab.sees("<img src=x onerror=");
    });
    await check("dialogs and the trash show markup as text", async () => {
      await tab.click("button", "Move to trash");
      await tab.click("button", "Move to trash");
      await tab.sees("can be restored until");
      await isHarmless();
      await open("trash");
      await tab.sees("1 deleted document");
      await isHarmless();
    });
    await check(
      "the browser refuses to parse markup and to run inline scripts, even if the page tried",
      async () => {
        const refused = await tab.evaluate(
          `(() => { try { document.createElement("p").innerHTML = "<b>x</b>"; return false; } catch { return true; } })()`,
        );
        assert(refused, "Trusted Types are not enforced");
        assert(tab.problems.length > 0, "the violation is reported");
        tab.problems.length = 0;
      },
    );
  },
};
