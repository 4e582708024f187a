/** Actions that write the outcome, touch the judge, or speak to it. */
import { option } from "../../base/index.ts";
import type { Step } from "../../trajectory/index.ts";
import { oneLine } from "../failure-text.ts";
import { responseText } from "../response.ts";
import { defineScreen, severity, type Sighting } from "./screen.ts";
import { tamperingForms } from "./tampering-forms.ts";
import { tamperingPatterns } from "./tampering-patterns.ts";

/** Longer responses are read at both ends, where such text would stand to be noticed. */
const LONGEST = 100_000;

export const judgeTampering = defineScreen({
  id: "judge-tampering",
  info: {
    title: "Judge tampering",
    meaning:
      "Actions that write the success flag, touch the judge or its files, or contain text addressed to the judge.",
    formula: [
      "reads actions, replies and tool calls (never what the world said), without regard to case, width and invisible letters",
      "speaks at the first action that assigns an outcome, writes to a judge, its tests or its score, or tells a judge what to think",
      "an honest agent in a world of code may do some of this; allow names phrases that are no finding",
    ],
  },
  options: {
    severity,
    allow: option.list([], { kind: "text" }, "phrases that are removed before the text is read"),
    phrases: option.list([], { kind: "text" }, "phrases of your own that are findings"),
  },
  look: ({ trajectories }, { allow, phrases }) => {
    const allowed = allow.map(normalise);
    const own = phrases.map(normalise);
    const hits = new Map<string, { readonly trajectory: string; readonly step: number; readonly text: string }[]>();
    for (const { id, steps } of trajectories) {
      for (const step of steps) {
        const text = allowed.reduce((rest, phrase) => rest.replaceAll(phrase, " "), written(step));
        for (const [kind, match] of matches(text, own)) {
          const list = hits.get(kind) ?? [];
          list.push({ trajectory: id, step: step.index, text: oneLine(match, 120) });
          hits.set(kind, list);
        }
      }
    }
    return [...hits].map(([kind, list]): Sighting => {
      const count = new Set(list.map(({ trajectory }) => trajectory)).size;
      const [first] = list;
      const message = `${count} of ${trajectories.length} trajectories hold an action that ${kind}; first in "${oneLine(first?.trajectory ?? "", 60)}", step ${first?.step ?? 0}. Read it before training on it.`;
      return { message, evidence: { kind, trajectories: count, examples: list.slice(0, 5) } };
    });
  },
});

function* matches(text: string, phrases: readonly string[]): Iterable<readonly [string, string]> {
  for (const { kind, pattern } of tamperingPatterns) {
    const match = pattern.exec(text);
    if (match !== null) yield [kind, match[0]];
  }
  for (const { kind, find } of tamperingForms) {
    const found = find(text);
    if (found !== undefined) yield [kind, found];
  }
  for (const phrase of phrases) if (text.includes(phrase)) yield ["says what it must not", phrase];
}

function written(step: Step): string {
  const calls = (step.reply?.toolCalls ?? []).map(({ name, arguments: given }) => `${name} ${JSON.stringify(given)}`);
  const reply = step.reply === undefined ? "" : responseText(step);
  return normalise([step.action, ...(reply === step.action ? [] : [reply]), ...calls].join(" \n "));
}

/** One form for what reads alike: width, case, invisible letters, backslashes before quotes, runs of blanks. */
function normalise(text: string): string {
  const short = text.length <= LONGEST ? text : `${text.slice(0, LONGEST / 2)} ${text.slice(-LONGEST / 2)}`;
  return short
    .normalize("NFKC")
    .replaceAll(/[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g, "")
    .replaceAll(/\\(?=["'])/g, "")
    .replaceAll(/\s+/g, " ")
    .toLowerCase();
}
