/**
 * Suggestions over a log of many matters at once (after PIRA-Bench): each line of the answer is "[LINE] INTENT: MATTER", made
 * when that line came up. One counts where it is due, from the line that completes its matter to so many lines later, once;
 * every other one is a false alarm.
 */
import { isObject, type Json } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { scored } from "limbeck-base/trajectory/score";
import { defineGrader, finalText } from "../grader.ts";

const SUGGESTED = /^\[(\d{1,6})\] ([^:\n]{1,80}): ([^\n]{1,80})$/gm;

export interface Due {
  readonly line: number;
  readonly intent: string;
  readonly matter: string;
}

export const intents = defineGrader({
  id: "intents",
  meaning: "Suggestions made in time: `answer` is a list of {line, intent, matter}, the line from which each is due.",
  options: {
    by: option.choice("f1", ["f1", "quiet"], "f1 of the suggestions, or 1 / (1 + false alarms)"),
    late: option.count(3, "lines after which a suggestion is too late", 0),
  },
  check: (answer) => (duesIn(answer) === undefined ? "`answer` has to be a list of {line, intent, matter}" : undefined),
  grade: ({ trajectory, answer }, { by, late }) => {
    const { hits, alarms, missed } = compareDues(suggestionsIn(finalText(trajectory)), duesIn(answer) ?? [], late);
    const all = 2 * hits + alarms + missed;
    const f1 = all === 0 ? 1 : (2 * hits) / all;
    return {
      score: scored(by === "f1" ? f1 : 1 / (1 + alarms)),
      why: `${hits} in time, ${alarms} false alarms, ${missed} missed`,
    };
  },
});

export function compareDues(suggested: readonly Due[], dues: readonly Due[], late: number) {
  const open = new Set(dues);
  let alarms = 0;
  for (const { line, intent, matter } of suggested) {
    const hit = [...open].find(
      (due) => due.intent === intent && due.matter === matter && line >= due.line && line <= due.line + late,
    );
    if (hit === undefined) alarms += 1;
    else open.delete(hit);
  }
  return { hits: dues.length - open.size, alarms, missed: open.size };
}

export function suggestionsIn(text: string): readonly Due[] {
  return [...text.matchAll(SUGGESTED)].map(([, line, intent = "", matter = ""]) => ({
    line: Number(line),
    intent,
    matter: matter.trim(),
  }));
}

function duesIn(answer: Json | undefined): readonly Due[] | undefined {
  if (!Array.isArray(answer)) return undefined;
  const dues = answer
    .filter(isObject)
    .flatMap(({ line, intent, matter }) =>
      typeof line === "number" && typeof intent === "string" && typeof matter === "string"
        ? [{ line, intent, matter }]
        : [],
    );
  return dues.length === answer.length ? dues : undefined;
}
