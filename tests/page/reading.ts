import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Section } from "./section.ts";

/** Paragraphs of which each becomes a chunk or more. */
const LONG_TEXT = Array.from(
  { length: 120 },
  (_, n) => `## Part ${n}\n\n${`Paragraph ${n} describes station ${n} of the line. `.repeat(30).trim()}`,
).join("\n\n").replace("station 70 of the line. ", "station 70 with the zeppelin hangar. ");

/** Search, documents, the text of one, history and links of the browser. */
export const reading: Section = {
  name: "reading",
  async run({ tab, agent, open, check }) {
    const add = async (input: Record<string, unknown>) => {
      const { structured, isError, text } = await agent.call("kb_addnote", input);
      assert(!isError, text);
      return structured.document_id;
    };
    const router = await add({
      text:
        "# Router\n\nThe router of the office has the address 192.168.1.1.\n\n[Manual](https://example.com)",
      title: "Office network",
      collection: "memory",
      tags: ["net"],
    });
    const long = await add({ text: LONG_TEXT, title: "Stations" });
    await Promise.all(
      Array.from(
        { length: 60 },
        (_, n) => add({ text: `Recipe ${n}: bread with ${n} olives.`, title: `Recipe ${n}` }),
      ),
    );

    await check("the page opens with the search", async () => {
      await open("");
      await tab.sees("Ask a question");
      assertEquals(await tab.evaluate("document.activeElement.type"), "search");
      assertEquals(await tab.has("button", "Sign out"), false);
    });
    await check("a query shows its results with marked words, and is in the address", async () => {
      await tab.fill("searchbox", "Search for", "routr address");
      await tab.press("Enter");
      await tab.sees("Office network");
      await tab.sees("Searched for “router” instead of “routr”");
      assertMatch(await tab.evaluate("location.hash"), /^#\/search\?q=routr\+address/);
      const marks = await tab.evaluate(
        "[...document.querySelectorAll('.passage mark')].map((e) => e.textContent)",
      );
      assert(marks.includes("router") && marks.includes("address"), marks.join());
      await tab.sees("memory");
      await tab.sees("by words");
    });
    await check("a result opens the document at its passage", async () => {
      await tab.click("link", "Office network");
      await tab.until("document.querySelector('#passage mark')", "the marked passage");
      await tab.sees("version 1");
      await tab.sees("#net");
    });
    await check("back and forward show the former views", async () => {
      await tab.travel(-1);
      await tab.sees("Searched for “router”");
      assertEquals(await tab.evaluate("document.querySelector('[type=search]').value"), "routr address");
      await tab.travel(1);
      await tab.sees("version 1");
    });
    await check("a reload shows the same view", async () => {
      await tab.reload();
      await tab.sees("version 1");
    });
    await check("filters limit the results", async () => {
      await open("search?q=router&collection=documents");
      await tab.sees("No results");
      await open("search?collection=memory");
      await tab.sees("Office network");
    });
    await check("more results are appended", async () => {
      await open("search?q=olives");
      await tab.until("document.querySelectorAll('.results > li').length === 10");
      await tab.click("button", "More results");
      await tab.until("document.querySelectorAll('.results > li').length === 20");
      const titles = await tab.evaluate(
        "[...document.querySelectorAll('.results > li h2')].map((e) => e.textContent)",
      );
      assertEquals(new Set(titles).size, 20);
    });
    await check("a passage in the middle of a long document is shown with the text around it", async () => {
      await open("search?q=zeppelin+hangar");
      await tab.click("link", "Stations");
      await tab.until("document.querySelector('#passage')?.textContent.includes('zeppelin')", "the passage");
      await tab.until(
        "(({ top, bottom }) => bottom > 0 && top < innerHeight)(document.querySelector('#passage').getBoundingClientRect())",
        "the passage to be in view",
      );
    });
    await check("earlier and later text is read in pages, without gaps", async () => {
      while (await tab.has("button", "Earlier text")) {
        const length = await tab.evaluate("document.querySelector('.text').textContent.length");
        await tab.click("button", "Earlier text");
        await tab.until(`document.querySelector('.text').textContent.length > ${length}`);
        await tab.until("!document.querySelector('.loading')");
      }
      for (
        let pages = 0;
        await tab.evaluate("document.querySelectorAll('.more button').length") > 0;
        pages++
      ) {
        assert(pages < 50);
        const length = await tab.evaluate("document.querySelector('.text').textContent.length");
        await tab.evaluate("document.querySelector('.more button').click()");
        await tab.until(`document.querySelector('.text').textContent.length > ${length}`);
        await tab.until("!document.querySelector('.loading')");
      }
      const text: string = await tab.evaluate(
        "[...document.querySelectorAll('.text > div > p:last-child')].map((e) => e.textContent).join('')",
      );
      assert(text === LONG_TEXT, `${text.length} characters of ${LONG_TEXT.length}`);
    });
    await check("the contents lead to their passages", async () => {
      await open(`document/${long}`);
      await tab.click("DisclosureTriangle", "Contents");
      await tab.click("link", "Part 3");
      await tab.until("location.hash.includes('at=')");
      await tab.sees("Part 3");
    });
    await check("documents are counted and listed in pages", async () => {
      await tab.click("link", "Documents");
      await tab.sees("62 documents");
      await tab.until("document.querySelectorAll('.rows > li').length === 50");
      await tab.click("button", "More documents");
      await tab.until("document.querySelectorAll('.rows > li').length === 62");
      await tab.click("link", "memory 1");
      await tab.sees("1 document");
      await tab.sees("Office network");
      await tab.misses("Recipe 1");
    });
    await check("a title finds documents", async () => {
      await open("documents");
      await tab.fill("searchbox", "Title", "Recipe 17");
      await tab.click("button", "Show");
      await tab.until("document.querySelectorAll('.rows > li').length === 1");
      assertMatch(await tab.evaluate("location.hash"), /title=Recipe\+17/);
    });
    await check("an unknown document says so, and so does an unknown view", async () => {
      await open("document/4711");
      await tab.sees("The engine has no document 4711");
      await open("nothing");
      await tab.sees("no such view");
    });
    await check("the status shows health, counts and jobs", async () => {
      await open("status");
      await tab.sees("Server: ready");
      await tab.sees("none: searches by words only");
      await tab.until("document.querySelectorAll('.rows > li').length === 20");
      await tab.select("Jobs", "failed");
      await tab.sees("No jobs.");
    });
    assert(router !== undefined);
  },
};
