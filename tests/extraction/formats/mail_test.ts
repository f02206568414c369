import { assertEquals, assertRejects } from "@std/assert";
import { chunkText, type ContainedFile, extract, ExtractionError } from "../../../src/extraction/mod.ts";

const LIMITS = { maxFiles: 10, maxFileBytes: 100_000, maxTotalBytes: 200_000 };

/** Extracts a message. Returns its text and its attachments, by name. */
async function read(lines: readonly string[], { filename = "a.eml", accepts = true } = {}) {
  const bytes = Uint8Array.from(lines.join("\r\n"), (char) => char.charCodeAt(0));
  const files: Record<string, string> = {};
  const onFile = ({ path, bytes }: ContainedFile) => {
    files[path] = new TextDecoder().decode(bytes);
    return Promise.resolve();
  };
  const document = await extract(
    { bytes, filename, contentType: undefined },
    { fileLimits: accepts ? LIMITS : undefined, onFile },
  );
  return { ...document!, files };
}

const HEAD = [
  "From: =?iso-8859-1?Q?J=F6rg?= <joerg@example.org>",
  "To: a@example.org, Bea <b@example.org>",
  "Subject: The kettle",
  "Date: Tue, 3 Mar 2026 10:00:00 +0100",
  "Message-ID: <1@example.org>",
  "MIME-Version: 1.0",
];

const MIXED = [
  ...HEAD,
  "Content-Type: multipart/mixed; boundary=b",
  "",
  "--b",
  "Content-Type: text/plain; charset=iso-8859-1",
  "",
  "Gr\xfc\xdfe.",
  "--b",
  "Content-Type: text/plain",
  "Content-Disposition: attachment; filename*=utf-8''%C3%BCber.txt",
  "",
  "attached",
  "--b",
  "Content-Type: message/rfc822",
  "",
  "Subject: inner",
  "",
  "inner text",
  "--b",
  "Content-Type: application/pgp-signature; name=signature.asc",
  "",
  "signature",
  "--b--",
];

Deno.test("eml: subject, headers and body, with the headers as metadata", async () => {
  const { docType, title, text, metadata } = await read([
    ...HEAD,
    "",
    "It is in the cupboard.",
    "> Where is it?",
  ]);
  assertEquals([docType, title], ["email", "The kettle"]);
  assertEquals(
    text,
    "# The kettle\n\nFrom: Jörg <joerg@example.org>\nTo: a@example.org, Bea <b@example.org>\n" +
      "Date: 2026-03-03T09:00:00Z\n\nIt is in the cupboard.\n> Where is it?\n",
  );
  assertEquals(metadata, {
    from: "Jörg <joerg@example.org>",
    to: ["a@example.org", "Bea <b@example.org>"],
    date: "2026-03-03T09:00:00Z",
    message_id: "<1@example.org>",
  });
});

Deno.test("eml: attachments and messages in it are files of their own, without signatures", async () => {
  const { text, metadata, files, warnings } = await read(MIXED);
  assertEquals(Object.keys(files), ["über.txt", "message 2.eml"]);
  assertEquals([files["über.txt"]?.trim(), files["message 2.eml"]?.includes("inner text")], [
    "attached",
    true,
  ]);
  assertEquals([text.includes("Grüße."), text.includes("inner text")], [true, false]);
  assertEquals([metadata?.["attachments"], warnings], [["über.txt", "message 2.eml"], undefined]);
});

Deno.test("eml: without a place for attachments, a warning names them", async () => {
  const { files, warnings } = await read(MIXED, { accepts: false });
  assertEquals([files, warnings?.length, warnings?.[0]?.includes("über.txt, message 2.eml")], [{}, 1, true]);
});

for (
  const [title, plain, expected] of [
    [
      "the plain text is preferred",
      "The kettle is in the cupboard, on the left.",
      "The kettle is in the cupboard, on the left.",
    ],
    [
      "HTML replaces a stub",
      "Use an HTML viewer.",
      "The **kettle** is in the cupboard, behind the large blue pot on the left side.",
    ],
  ] as const
) {
  Deno.test(`eml: of alternatives, ${title}`, async () => {
    const { text } = await read([
      ...HEAD,
      "Content-Type: multipart/alternative; boundary=b",
      "",
      "--b",
      "",
      plain,
      "--b",
      "Content-Type: text/html",
      "",
      "<p>The <b>kettle</b> is in the cupboard, behind the large blue pot on the left side.</p>",
      "--b--",
    ]);
    assertEquals(text.trim().split("\n").at(-1), expected);
  });
}

for (
  const [type, content, expected] of [
    ["text/markdown; charset=utf-8", "The *kettle* is in the cupboard.", "The *kettle* is in the cupboard."],
    ["text/x-patch", "+kettle\r\n-pot", "+kettle\n-pot"],
    ["text/x-patch; name=a.patch\r\nContent-Disposition: inline", "+kettle", "+kettle"],
    ["text", "Gr\xfc\xdfe aus dem sch\xf6nen M\xfcnchen.", "Grüße aus dem schönen München."],
  ] as const
) {
  Deno.test(`eml: ${JSON.stringify(type)} without another text is the body`, async () => {
    const { text, files, warnings } = await read([...HEAD, `Content-Type: ${type}`, "", content]);
    assertEquals(text.split("\n\n").at(-1), `${expected}\n`);
    assertEquals([files, warnings], [{}, undefined]);
  });
}

const INVITATION = [
  "BEGIN:VCALENDAR",
  "METHOD:REQUEST",
  "BEGIN:VEVENT",
  "SUMMARY:Descale the",
  "  kettle",
  "DTSTART;TZID=Europe/Berlin:20260303T100000",
  "DTEND;TZID=Europe/Berlin:20260303T103000",
  "LOCATION:Kitchen",
  "ORGANIZER;CN=Ann:mailto:ann@example.org",
  "ATTENDEE;CN=Bea:mailto:b@example.org",
  "DESCRIPTION:Bring vinegar.",
  "END:VEVENT",
  "END:VCALENDAR",
];
const EVENT = "## Descale the kettle\n\nStart: 2026-03-03 10:00 Europe/Berlin\nEnd: 2026-03-03 10:30 " +
  "Europe/Berlin\nLocation: Kitchen\nOrganizer: Ann <ann@example.org>\nAttendees: Bea <b@example.org>\n\n" +
  "Bring vinegar.\n";

Deno.test("eml: an invitation without another text is the body, in the form of a calendar", async () => {
  const alone = ["Content-Type: text/calendar; method=REQUEST", "", ...INVITATION];
  for (const accepts of [true, false]) {
    const { text, files, warnings } = await read([...HEAD, ...alone], { accepts });
    assertEquals(text.slice(text.indexOf("##")), EVENT);
    assertEquals([files, warnings], [{}, undefined]);
  }
  const twice = (html: string) => [
    ...HEAD,
    "Content-Type: multipart/mixed; boundary=b",
    "",
    ...["--b", "Content-Type: text/html", "", html],
    ...["--b", ...alone],
    ...["--b", "Content-Type: application/ics; name=invite.ics"],
    ...["Content-Disposition: attachment; filename=invite.ics", "", ...INVITATION],
    "--b--",
  ];
  const uploaded = await read(twice("<p>&nbsp;</p>"));
  assertEquals([uploaded.text.slice(uploaded.text.indexOf("##")), Object.keys(uploaded.files)], [EVENT, [
    "invite.ics",
  ]]);
  const inFolder = await read(twice("<html><body></body></html>"), { accepts: false });
  assertEquals([inFolder.text.slice(inFolder.text.indexOf("##")), inFolder.warnings], [EVENT, undefined]);
  const withText = await read(twice("<p>See you there.</p>"));
  assertEquals(withText.text.trim().split("\n").at(-1), "See you there.");
});

Deno.test("mbox: a message that is an invitation has its event", async () => {
  const message = [...HEAD, "Content-Type: text/calendar", "", ...INVITATION, ""];
  const separator = "From a@example.org Tue Mar  3 10:00:00 2026";
  const { text } = await read([separator, ...message, separator, ...message], { filename: "a.mbox" });
  assertEquals(text.split(EVENT).length, 3);
});

for (const html of ["", "<html><body></body></html>", "<div>&nbsp;<br></div>"]) {
  Deno.test(`eml: of alternatives, the one with a text is read next to HTML ${JSON.stringify(html)}`, async () => {
    for (const type of ["text/plain", "text/markdown"]) {
      const part = (type: string, content: string) => ["--b", `Content-Type: ${type}`, "", content];
      const { text, files } = await read([
        ...HEAD,
        "Content-Type: multipart/alternative; boundary=b",
        "",
        ...part(type, "The *kettle* is blue."),
        ...part("text/html", html),
        "--b--",
      ]);
      assertEquals([text.trim().split("\n").at(-1), files], ["The *kettle* is blue.", {}], type);
    }
  });
}

Deno.test("eml: text that is a file stays an attachment, binary data that is called text too", async () => {
  for (
    const type of [
      "text/calendar",
      "text/csv",
      "text/markdown; name=a.md\r\nContent-Disposition: attachment",
      "text/x-unknown",
    ]
  ) {
    const content = type === "text/x-unknown" ? "\0\x01\x02\x03\0\0" : "kettle";
    const { text, files } = await read([...HEAD, `Content-Type: ${type}`, "", content]);
    assertEquals([Object.keys(files).length, text.includes("\n\nkettle")], [1, false], type);
  }
});

Deno.test("eml: a body for some mail programs next to the text is left out, other texts are attachments", async () => {
  const part = (type: string) => ["--b", `Content-Type: ${type}`, "", `kettle in ${type}`];
  const types = [
    "text/plain",
    "text/x-amp-html",
    "text/watch-html",
    "text/enriched",
    "text/html",
    "text/x-diff",
  ];
  const { text, files } = await read([
    ...HEAD,
    "Content-Type: multipart/alternative; boundary=b",
    "",
    ...types.flatMap(part),
    "--b--",
  ]);
  assertEquals(text.trim().split("\n").at(-1), "kettle in text/plain");
  assertEquals(Object.values(files).map((file) => file.trim()), ["kettle in text/x-diff"]);
  const attached = await read([
    ...HEAD,
    "Content-Type: multipart/mixed; boundary=b",
    "",
    ...part("text/plain"),
    ...part("text/enriched; name=a.rtx\r\nContent-Disposition: attachment"),
    "--b--",
  ]);
  assertEquals(Object.keys(attached.files), ["a.rtx"]);
});

Deno.test("mbox: a message whose body is Markdown has its text", async () => {
  const message = [...HEAD, "Content-Type: text/markdown", "", "In the *cupboard*.", ""];
  const separator = "From a@example.org Tue Mar  3 10:00:00 2026";
  const { text, warnings } = await read([separator, ...message, separator, ...message], {
    filename: "a.mbox",
  });
  assertEquals([text.match(/In the \*cupboard\*\./g)?.length, warnings], [2, undefined]);
});

Deno.test("eml: is detected by its headers, an invalid date is left out", async () => {
  const message = ["Received: from x", "From: a@example.org", "Date: yesterday", "", "kettle"];
  const { docType, metadata } = await read(message, { filename: "message.txt" });
  assertEquals([docType, metadata], ["email", { from: "a@example.org" }]);
  const note = await read(["From: a note", "Subject: not a message", "", "kettle"], { filename: "note.txt" });
  assertEquals(note.docType, "text");
});

Deno.test("eml: without a text fails", async () => {
  const error = await assertRejects(() => read(["From: a@example.org", "", ""]), ExtractionError);
  assertEquals(error.code, "no_text");
});

Deno.test("mhtml: the page is read in the encoding of its part, without its frames", async () => {
  const { docType, title, text } = await read([
    "From: <Saved by Blink>",
    "MIME-Version: 1.0",
    'Content-Type: multipart/related; type="text/html"; boundary="--b"',
    "",
    "----b",
    "Content-Type: text/html; charset=windows-1251",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "<title>=D7=E0=E9</title><p>=D7=E0=E9=ED=E8=EA in the cup=",
    "board</p>",
    "----b",
    "Content-Type: text/html",
    "",
    "<p>frame</p>",
    "----b--",
  ], { filename: "page" });
  assertEquals([docType, title, text.trim()], ["mhtml", "Чай", "Чайник in the cupboard"]);
});

Deno.test("mbox: each message is a section, also after one with parts, and its attachments are documents", async () => {
  const { docType, text, metadata, files, warnings } = await read([
    "From joerg@example.org Tue Mar  3 10:00:00 2026",
    ...MIXED,
    "",
    "From b@example.org Wed Mar  4 11:00:00 2026",
    "From: Bea <b@example.org>",
    "Subject: Re: The kettle",
    "",
    "Thanks.",
    "",
    "From now on it is mine.",
    ">From the cupboard:",
    ">>From you",
    "",
    "From - Thu Mar  5 12:00:00 2026",
    "Content-Type: text/plain",
    "",
    "",
  ], { filename: "Inbox.mbox" });
  assertEquals([docType, metadata], ["email", { messages: 2 }]);
  assertEquals(text.match(/^# .*/gm), ["# The kettle", "# Re: The kettle"]);
  assertEquals(text.endsWith("Thanks.\n\nFrom now on it is mine.\nFrom the cupboard:\n>From you\n"), true);
  assertEquals(Object.keys(files), ["über.txt", "message 2.eml"]);
  assertEquals(warnings, ["1 of 3 messages could not be read, or have no text."]);
});

Deno.test("mbox: each chunk is of one message, and named by it, also if a message is short or has an open fence", async () => {
  const separator = "From joerg@example.org Tue Mar  3 10:00:00 2026";
  const document = await read([
    separator,
    "From: joerg@example.org",
    "Subject: Lunch",
    "",
    "At noon?",
    "```",
    "",
    separator,
    "From: bea@example.org",
    "",
    "Yes.",
    "",
    "# Not a subject",
    "",
    separator,
    ...HEAD,
    "",
    "It is in the cupboard. ".repeat(20),
    "",
  ], { filename: "Inbox.mbox" });
  const chunks = (maxTokens: number) =>
    chunkText(document, { maxTokens, overlapTokens: 0 }).map(({ text, headingPath }) => [
      headingPath.join(" > "),
      text.match(/noon|Yes|cupboard/)?.[0],
    ]);
  const expected = [["Lunch", "noon"], ["bea@example.org", "Yes"], ["The kettle", "cupboard"]];
  assertEquals(chunks(1000), expected);
  assertEquals(chunks(250), expected);
});

Deno.test("mbox: a mailbox of one message is the message", async () => {
  const { title, metadata } = await read(
    ["From joerg@example.org Tue Mar  3 10:00:00 2026", ...HEAD, "", "It is in the cupboard."],
    { filename: "one.mbox" },
  );
  assertEquals([title, metadata?.["date"]], ["The kettle", "2026-03-03T09:00:00Z"]);
});

Deno.test("mbox: attachments are not read where no files are accepted, and the limit of the text holds", async () => {
  const message = ["From a@example.org Tue Mar  3 10:00:00 2026", ...MIXED, ""];
  const { warnings } = await read([...message, ...message], { filename: "a.mbox", accepts: false });
  assertEquals(warnings, [
    "The attachments were not read. Save them as files, or add the mailbox with 'kb-mcp add'.",
  ]);
  const bytes = new TextEncoder().encode(Array(20).fill(message.join("\n")).join("\n"));
  const error = await assertRejects(
    () => extract({ bytes, filename: "a.mbox", contentType: undefined }, { maxTextChars: 1000 }),
    ExtractionError,
  );
  assertEquals(error.code, "too_large");
});

Deno.test("mbox: a sentence that starts with From and has a time does not end its message", async () => {
  const message = [
    "From joerg@example.org Tue Mar  3 10:00:00 2026",
    ...HEAD,
    "",
    "It is in the cupboard.",
    "",
    "From tomorrow 10:30 it is yours.",
    "Until then: wait.",
    "",
    "From here on 11:45 it is closed.",
    "",
  ];
  const { text, metadata, warnings } = await read([...message, ...message], { filename: "a.mbox" });
  assertEquals([metadata, warnings], [{ messages: 2 }, undefined]);
  assertEquals(text.match(/is yours|is closed/g)?.length, 4);
});
