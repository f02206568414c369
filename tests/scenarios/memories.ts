/** Memories with questions that ask for them in other words: no content word occurs in both. */

/** A note and a question about it. */
export type Memory = readonly [note: string, question: string];

/** A small knowledge base. */
export const TWELVE_MEMORIES: readonly Memory[] = [
  ["The user wants answers in German.", "What language should I reply in?"],
  ["She is allergic to shellfish.", "Which seafood must I avoid at dinner?"],
  ["Deploy only after the tests have passed on the staging server.", "What must happen before a release?"],
  ["The dentist appointment is on Thursday at nine.", "When do I get my teeth checked?"],
  ["His daughter's name is Mathilde, and she is six.", "How old is my child?"],
  [
    "Meetings on Mondays are not possible: he looks after the kids.",
    "Why can't I attend at the start of the week?",
  ],
  [
    "We chose SQLite because nobody has to run a server for it.",
    "What was the reason for picking our database?",
  ],
  [
    "The apartment is on the third floor, and the elevator is broken.",
    "Will movers have to take the stairs to my flat?",
  ],
  ["Please use metric units in all reports.", "Should measurements be in miles or kilometers?"],
  ["The car is parked behind the train station.", "Where did I leave my vehicle?"],
  ["The client pays within sixty days.", "How long does it take until we receive the money for a bill?"],
  ["He sings tenor in the church choir.", "What is my musical hobby?"],
];

/** A larger set, for checks of the ranking. */
export const THIRTY_SIX_MEMORIES: readonly Memory[] = [
  ["Her sister Ingrid lives in Trondheim.", "Do I have relatives in Norway?"],
  ["The boiler is serviced in February by the firm Keller.", "Who maintains the heating?"],
  ["He takes his tea with oat milk and no sugar.", "How do I like my hot drinks?"],
  ["All commits must be signed.", "What does the repository require of every change?"],
  ["The garden gate squeaks and needs oil.", "What is there to repair outdoors?"],
  ["She studied marine biology at the University of Gothenburg.", "What was my degree in?"],
  ["Passport number and visa are in the blue folder in the study.", "Where are my travel documents?"],
  [
    "The team switched from Jenkins to GitHub Actions in spring.",
    "What do we use for continuous integration?",
  ],
  ["The cat must get her thyroid pill every morning.", "Which medication does my pet have to take?"],
  ["He is afraid of heights.", "Why should I not book the rooftop restaurant?"],
  ["The baby sleeps from one to three; no phone calls then.", "At what hours should I not be disturbed?"],
  ["Prices in the shop are rounded up to the next full euro.", "How do we determine what an item costs?"],
  ["Grandfather's watch was pawned in 1987 and never redeemed.", "What happened to the old family heirloom?"],
  ["The novel is due at the publisher's on the last day of April.", "When is the deadline for my book?"],
  [
    "Log files may not contain e-mail addresses.",
    "What personal data is forbidden in our diagnostics output?",
  ],
  ["The flight to Nairobi was moved to Sunday.", "On which day do I travel to Kenya?"],
  ["Rosa handles the payroll while Henrik is on parental leave.", "Who pays the salaries at present?"],
  ["We store avatars in S3 and everything else in Postgres.", "Where are profile pictures kept?"],
  ["He has been sober for four years; no wine as a present.", "Is a bottle of champagne a suitable gift?"],
  ["The spare tyre has a slow puncture.", "What is wrong with the extra wheel?"],
  ["The choir rehearses in the town hall on Tuesdays.", "Where do the singers practise?"],
  [
    "Use short sentences and simple words in texts for the parents' newsletter.",
    "What writing style suits mail to mums and dads?",
  ],
  ["The password manager is Bitwarden.", "Which tool keeps my logins?"],
  ["She broke her wrist while skating last winter.", "What injury did I have on the ice?"],
  [
    "The wifi in the cabin works only near the kitchen window.",
    "Where can I get an internet connection in the hut?",
  ],
  ["Requests time out after thirty seconds.", "How long does the server wait before it gives up?"],
  ["The kids are with their father every second weekend.", "When am I without my children?"],
  [
    "He proposed a four-day week, and the board declined.",
    "How did management react to reduced working hours?",
  ],
  ["The roof leaks above the guest bedroom.", "Where does rain get into the house?"],
  ["The invoice from the carpenter was 40 euros too high.", "Which craftsman overcharged me?"],
  [
    "Mrs Adeyemi from next door waters the plants in August.",
    "Who looks after my flowers during the holidays?",
  ],
  ["We freeze the code one week ahead of every release.", "When do we stop merging features?"],
  ["She is learning Portuguese with an app.", "Which foreign language am I studying?"],
  [
    "The concert tickets are in the drawer under the television.",
    "Where did I put the entry passes for the show?",
  ],
  ["Unread mail older than a year can be deleted.", "Which messages may be thrown away?"],
  [
    "He voted against the merger with the Danish company.",
    "What was my position on joining forces with the firm from Copenhagen?",
  ],
];
