/**
 * Logs of what somebody does at a screen, as text (after PIRA-Bench): several matters at once, line by line among each other.
 * An intent shows in three events of one matter, which other intents share one by one; beside them stand matters that are
 * dropped after one or two events, and noise. An agent suggests an intent when its matter is complete, and is quiet otherwise.
 */
import { createRng, pick, shuffle, type Rng } from "limbeck-base/base/rng";
import type { SuiteInput } from "../suite.ts";
import type { Due } from "../graders/intents.ts";

/** Each event stands in two intents or more, so that none gives one away. */
export const INTENTS: Readonly<Record<string, readonly string[]>> = {
  "book a train": ["searched the map for", "opened the calendar at", "compared prices for", "read a message about"],
  "plan a dinner": ["opened the calendar at", "read reviews of", "read a message about", "looked up the number of"],
  "send a present": ["compared prices for", "read reviews of", "opened the address of", "looked at pictures of"],
  "pay a bill": ["read a message about", "opened the bank at", "searched the mail for", "opened the address of"],
  "return a parcel": [
    "searched the mail for",
    "looked at pictures of",
    "looked up the number of",
    "compared prices for",
  ],
  "file a complaint": ["searched the mail for", "opened the bank at", "read reviews of", "looked up the number of"],
};
const EVENTS = [...new Set(Object.values(INTENTS).flat())];
const MATTERS = ["Oslo", "Kim", "Bergen", "Lee", "the lamp", "Noor", "the shop", "Turin"] as const;
const SHOWN = 3;

export interface IntentLog {
  readonly lines: readonly { readonly event: string; readonly matter: string }[];
  readonly dues: readonly Due[];
}

/** Four matters that come to something, three that are dropped, and six single events; who comes next is drawn. */
export function intentLog(rng: Rng): IntentLog {
  const threads = Array.from({ length: 13 }, (_, at) => {
    const own = rng.split("thread").split(at);
    const intent = pick(Object.keys(INTENTS), own) ?? "";
    const events = shuffle(INTENTS[intent] ?? [], own);
    const count = at < 4 ? SHOWN : at < 7 ? 1 + own.int(SHOWN - 1) : 1;
    return {
      intent: at < 4 ? intent : undefined,
      matter: pick(MATTERS, own) ?? "",
      events: at < 7 ? events.slice(0, count) : [pick(EVENTS, own) ?? ""],
    };
  });
  const turns = shuffle(threads.flatMap(({ events }, at) => events.map(() => at)), rng.split("turns")); // prettier-ignore
  const lines: IntentLog["lines"][number][] = [];
  const dues: Due[] = [];
  const gone = threads.map(() => 0);
  for (const at of turns) {
    const { events, intent, matter } = threads[at] as (typeof threads)[number];
    const place = (gone[at] ?? 0) + 1;
    gone[at] = place;
    lines.push({ event: events[place - 1] ?? "", matter });
    if (intent !== undefined && place === SHOWN) dues.push({ line: lines.length, intent, matter });
  }
  return { lines, dues };
}

export function intentPrompt({ lines }: Pick<IntentLog, "lines">): string {
  const shown = lines.map(({ event, matter }, at) => `${at + 1}. ${event} ${matter}`);
  return `A log of several matters at once:\n${shown.join("\n")}\n\nGo through it line by line. Where a matter has come so far that you know what is wanted, suggest it, and only then, as "[LINE] INTENT: MATTER". Intents: ${Object.keys(INTENTS).join(", ")}.`;
}

/** So many logs of a seed as tasks. */
export function intentTasks(seed: string | number, count: number): SuiteInput["tasks"] {
  return Array.from({ length: count }, (_, at) => {
    const log = intentLog(createRng(`intents ${seed}`).split(at));
    return {
      id: `log/${at + 1}`,
      prompt: intentPrompt(log),
      answer: log.dues.map((due) => ({ ...due })),
      solution: log.dues.map(({ line, intent, matter }) => `[${line}] ${intent}: ${matter}`).join("\n"),
    };
  });
}

export const intents: SuiteInput = {
  suite: "intents",
  version: "1",
  meaning:
    "What somebody at a screen wants, from a log of many matters at once: suggestions in time, and false alarms.",
  grader: [
    { use: "intents", as: "f1", options: { by: "f1" } },
    { use: "intents", as: "quiet", options: { by: "quiet" } },
  ],
  tasks: intentTasks("suite", 40),
};
