/** Reads an errand's sentence the way an agent must: from its words alone. */
import { EngineError } from "limbeck-base/base/errors";
import { TASK_PREFIX } from "./household-words.ts";
import type { Treatment } from "./things.ts";

export interface Goal {
  /** Lower-case name of the wanted kind of thing. */
  readonly thing: string;
  readonly count: 1 | 2;
  readonly treatment: Treatment | undefined;
  /** Where it goes: a kind of receptacle, or a kind of lamp to hold it under. */
  readonly target: string;
  readonly underLamp: boolean;
}

const adjectives: Readonly<Record<string, Treatment>> = { clean: "clean", cool: "cool", hot: "heat" };

const shapes: readonly (readonly [RegExp, (words: readonly string[]) => Omit<Goal, "thing" | "target">])[] = [
  [/^(?:put|find) two (?<thing>\w+) (?:and put them )?(?:in\/on|in|on) (?<target>\w+)/, () => plain(2)],
  [
    /^put (?:a|some) (clean|hot|cool) (?<thing>\w+) (?:in\/on|in|on) (?<target>\w+)/,
    ([adjective = ""]) => ({ ...plain(1), treatment: adjectives[adjective] }),
  ],
  [
    /^(clean|heat|cool) some (?<thing>\w+) and put it (?:in\/on|in|on) (?<target>\w+)/,
    ([verb]) => ({ ...plain(1), treatment: verb as Treatment }),
  ],
  [/^look at (?<thing>\w+) under the (?<target>\w+)/, () => ({ ...plain(1), underLamp: true })],
  [/^examine the (?<thing>\w+) with the (?<target>\w+)/, () => ({ ...plain(1), underLamp: true })],
  [/^put (?:a|some) (?<thing>\w+) (?:in\/on|in|on) (?<target>\w+)/, () => plain(1)],
];

function plain(count: 1 | 2): Omit<Goal, "thing" | "target"> {
  return { count, treatment: undefined, underLamp: false };
}

/**
 * The goal of a sentence, with or without the phrase that introduces it.
 *
 * @example
 * const { treatment, thing, target } = readGoal("Your task is to: put a clean mug in cabinet.");
 * console.log(treatment, thing, target); // clean mug cabinet
 */
export function readGoal(text: string): Goal {
  const start = text.indexOf(TASK_PREFIX);
  const sentence = (start < 0 ? text : text.slice(start + TASK_PREFIX.length)).trim().toLowerCase();
  for (const [shape, rest] of shapes) {
    const match = shape.exec(sentence);
    const thing = match?.groups?.["thing"];
    const target = match?.groups?.["target"];
    if (match !== null && thing !== undefined && target !== undefined)
      return { thing, target, ...rest(match.slice(1)) };
  }
  throw new EngineError(
    "unknown-goal",
    `No household errand reads ${JSON.stringify(sentence.slice(0, 200))}; a demonstrator knows the twelve sentence shapes of the six families only.`,
  );
}
