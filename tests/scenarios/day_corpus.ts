/** The documents of the scripted day: 98 short pages, and one long manual. All generated; the same each time. */

/** A file to upload. */
export interface CorpusFile {
  readonly filename: string;
  readonly sourcePath: string;
  readonly text: string;
}

const TEAMS = ["billing", "search", "mobile", "platform", "support", "security", "data"];
const TOPICS = [
  [
    "onboarding",
    "New colleagues get their laptop from the service desk and their accounts from the team lead.",
  ],
  ["release", "A release is cut on Tuesday, tested until Thursday, and rolled out region by region."],
  ["incident", "Whoever notices an incident opens a channel, names a lead, and writes down each step."],
  ["backup", "Backups run at three in the morning and are restored to a test machine every month."],
  ["on-call", "The person on call answers within ten minutes and hands over on Monday at noon."],
  ["budget", "Spending above five thousand needs the approval of the head of department."],
  ["hiring", "Each candidate talks to two engineers and one person from another team."],
  ["testing", "A change needs a test that fails without it, and a review by someone who did not write it."],
  ["holidays", "Holidays are entered in the calendar two weeks ahead, with the name of a deputy."],
  ["metrics", "The dashboard shows latency, errors and cost, each with last month's figure next to it."],
  ["roadmap", "The roadmap is decided each quarter, and one fifth of the time stays free for repairs."],
  ["access", "Access to production expires after eight hours and is requested with a reason."],
  ["vendors", "Contracts with vendors are renewed in November after a comparison of three offers."],
  ["travel", "Trains are preferred over flights below six hours, and receipts are due within a week."],
] as const;

/** Returns the 98 short pages: one for each team and topic, in seven folders. */
export function shortPages(): CorpusFile[] {
  return TEAMS.flatMap((team, t) =>
    TOPICS.map(([topic, sentence], i) => ({
      filename: `${topic}.md`,
      sourcePath: `handbook/${team}/${topic}.md`,
      text:
        `---\nteam: ${team}\nowner: person${(t * 5 + i * 3) % 23}\n---\n# ${
          capitalized(topic)
        } in ${team}\n\n` +
        `${sentence}\n\n## Rules of ${team}\n\nThe ${team} team reviews this page every ${
          2 + (t + i) % 9
        } months. ` +
        `Questions about ${topic} are answered in the ${team} channel, room ${100 + t * 14 + i}.\n`,
    }))
  );
}

/** Path of the long manual. */
export const MANUAL_PATH = "manuals/turbine.md";

/** Returns the long manual: 120 sections in 12 chapters, about 250 KB. */
export function manual(): CorpusFile {
  const sections = Array.from({ length: 120 }, (_, n) => {
    const chapter = n % 10 === 0 ? `## Chapter ${n / 10 + 1}: ${PARTS[n / 10]}\n\n` : "";
    const paragraphs = Array.from({ length: 14 }, (_, p) => {
      const k = n * 14 + p;
      return `Step ${k + 1} concerns the ${ADJECTIVES[k % 11]} ${NOUNS[(k * 7) % 13]}: turn it by ${
        (k * 37) % 360
      } ` +
        `degrees, wait ${k % 29 + 1} minutes, and write the pressure of ${
          (k * 53) % 900 + 100
        } hectopascal into ` +
        `the log together with the number ${(k * 7919) % 100_003}.`;
    });
    return `${chapter}### ${NOUNS[n % 13]} ${n + 1}\n\n${paragraphs.join("\n\n")}\n`;
  });
  return {
    filename: "turbine.md",
    sourcePath: MANUAL_PATH,
    text: `# Turbine manual\n\n${sections.join("\n")}`,
  };
}

const PARTS = [
  "Delivery",
  "Foundations",
  "Assembly",
  "Alignment",
  "Oil",
  "Cooling",
  "Control",
  "Start",
  "Operation",
  "Faults",
  "Overhaul",
  "Disposal",
] as const;
const ADJECTIVES = [
  "left",
  "right",
  "upper",
  "lower",
  "front",
  "rear",
  "inner",
  "outer",
  "central",
  "first",
  "second",
] as const;
const NOUNS = [
  "valve",
  "bearing",
  "shaft",
  "gasket",
  "rotor",
  "stator",
  "pump",
  "filter",
  "sensor",
  "flange",
  "coupling",
  "blade",
  "nozzle",
] as const;

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
