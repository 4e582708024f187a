/** The number that an answer ends with. */
import { option } from "limbeck-base/base/option";
import { scored } from "limbeck-base/trajectory/score";
import { defineGrader, finalText } from "../grader.ts";

const NUMBER = /[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d{1,3})?/giu;

export const number = defineGrader({
  id: "number",
  meaning: "Whether the number behind the marker, or else the last number of the answer, is `answer`.",
  options: {
    marker: option.text("####", "what stands before the answer"),
    within: option.number(1e-6, "how far it may be off", { least: 0 }),
  },
  check: (answer) => (typeof answer === "number" ? undefined : "`answer` has to be a number"),
  grade: ({ trajectory, answer }, { marker, within }) => {
    const said = numberIn(finalText(trajectory), marker);
    if (said === undefined) return { score: scored(0), why: "there is no number in the answer" };
    return { score: scored(Number(Math.abs(said - Number(answer)) <= within)), why: `it says ${said}` };
  },
});

/** Behind the last marker the first number, else the last one. */
export function numberIn(text: string, marker: string): number | undefined {
  const at = marker === "" ? -1 : text.lastIndexOf(marker);
  if (at < 0) return lastNumber(text);
  const [first] = text.slice(at + marker.length).match(NUMBER) ?? [];
  return first === undefined ? undefined : plain(first);
}

function lastNumber(text: string): number | undefined {
  const last = text.match(NUMBER)?.at(-1);
  return last === undefined ? undefined : plain(last);
}

function plain(text: string): number {
  return Number(text.replaceAll(",", ""));
}
