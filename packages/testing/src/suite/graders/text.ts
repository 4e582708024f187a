/** The words of an answer. */
import type { Json } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { cutWords } from "limbeck-base/base/words";
import { matchesAnswer } from "limbeck-worlds/research/normalise";
import { scored } from "limbeck-base/trajectory/score";
import { defineGrader, finalText } from "../grader.ts";
import { hasMatch, patternFault } from "./pattern.ts";

const MATCHES = {
  equal: (said: string, gold: string) => matchesAnswer(said, [gold]),
  exact: (said: string, gold: string) => said.trim() === gold.trim(),
  contains: (said: string, gold: string) => plain(said).includes(plain(gold)),
  pattern: (said: string, gold: string) => hasMatch(gold, said),
} as const;

export const text = defineGrader({
  id: "text",
  meaning: "Whether the answer is `answer`, or one of several: a text, or a pattern.",
  options: {
    match: option.choice(
      "equal",
      ["equal", "exact", "contains", "pattern"],
      "equal: case, articles and punctuation do not count; exact: to the letter; contains: has its words in order",
    ),
    not: option.flag(false, "right where nothing matches"),
  },
  check: (answer, { match }) => {
    const gold = textsOf(answer);
    if (gold === undefined) return "`answer` has to be a text, or a list of texts of which one is enough";
    return match === "pattern" ? gold.map(patternFault).find((fault) => fault !== undefined) : undefined;
  },
  grade: ({ trajectory, answer }, { match, not }) => {
    const said = finalText(trajectory);
    const isThere = (textsOf(answer) ?? []).some((gold) => MATCHES[match](said, gold));
    return { score: scored(Number(isThere !== not)) };
  },
});

function textsOf(answer: Json | undefined): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  return list.length > 0 && list.every((one) => typeof one === "string") ? list : undefined;
}

function plain(words: string): string {
  return ` ${cutWords(words).join(" ")} `;
}
