const topics: readonly (readonly [string, readonly string[]])[] = [
  ["Invoices", ["invoice", "net amount", "tax line", "creditor", "due date", "ledger entry"]],
  ["Backups", ["snapshot", "restore drill", "retention", "offsite copy", "checksum", "tape"]],
  ["Translations", ["locale", "glossary", "plural form", "placeholder", "reviewer", "string table"]],
  ["Sensors", ["thermometer", "sampling rate", "calibration", "drift", "gateway", "packet"]],
  ["Contracts", ["clause", "signatory", "annex", "termination", "governing law", "counterpart"]],
  ["Rosters", ["shift", "handover", "overtime", "substitute", "rest period", "duty planner"]],
];

/** Each aspect has words of its own, so that the sections of a topic are related and not copies of each other. */
const aspects = [
  [
    "Form",
    "Use the grey template, twelve points, and leave a margin of four fingers",
    "letterhead, stamp, signature",
  ],
  [
    "Checks",
    "Compare twice, the second time backwards, and tick every row in pencil",
    "mismatch, missing row, wrong sum",
  ],
  [
    "Naming",
    "Lower case, hyphens, year before month, no umlauts and no blanks",
    "prefix, suffix, version number",
  ],
  [
    "Errors",
    "Strike it through once, sign beside it, and tell the person on the phone",
    "complaint, correction, apology",
  ],
  [
    "Delivery",
    "By courier before noon, by post on Thursdays, never by hand",
    "envelope, receipt, tracking slip",
  ],
] as const;

/** A SKILL.md in the usual public style with thirty sections: six topics of five sections each, and a title. */
export function thirtySections(): string {
  const sections = topics.flatMap(([topic, words]) => [
    `## ${topic}`,
    ...aspects.map((aspect, index) => section(topic, aspect, words, index)),
  ]);
  const front = "---\nname: office\ndescription: How an office of six trades keeps its papers.\n---";
  return `${[front, "# Office", ...sections].join("\n\n")}\n`;
}

function section(
  topic: string,
  aspect: (typeof aspects)[number],
  words: readonly string[],
  turn: number,
): string {
  const [name, rule, cases] = aspect;
  const at = (place: number): string => words[(place + turn) % words.length] ?? "";
  const lines = [
    `Every ${at(0)} is kept beside its ${at(1)}; a ${at(2)} without a ${at(3)} goes back to whoever wrote it.`,
    `- ${rule}.`,
    `- Three cases need the ${at(0)} again: ${cases}. Each names the ${at(4)} it belongs to.`,
    `Close the ${at(0)} only when the ${at(3)} has been read by a second person who did not write the ${at(1)}.`,
  ];
  return `### ${name} of ${topic.toLowerCase()}\n\n${lines.join("\n")}`;
}
