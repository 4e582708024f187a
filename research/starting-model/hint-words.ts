/** Wordings of step hints: advice for one decision, and warnings against one. */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng } from "limbeck";
import { REASONS, stepAdvice, stepWarning, type Reason } from "../../packages/core/src/skill/statistics/wording.ts";
import { capital, otherWords, plainSentence } from "./command-words.ts";
import type { WordingSet } from "./skill-words.ts";

type Say = (command: string) => string;

const trained: readonly Say[] = [
  (command) => `${capital(command)}.`,
  (command) => `Now ${command}.`,
  (command) => `Next: ${command}.`,
  (command) => `${plainSentence(command)}: ${command}.`,
  (command) => `${plainSentence(command)} now: ${command}.`,
  (command) => `You should ${command} now.`,
  (command) => `Try ${command}.`,
  (command) => `Best here: ${command}.`,
  (command) => `It is time to ${command}.`,
  (command) => command,
];

const keptBack: readonly Say[] = [
  (command) => `The right move at this point is ${command}.`,
  (command) => `An expert would ${command} here.`,
  (command) => `Consider this: ${command}!`,
  (command) => `Your next action ought to be "${command}".`,
];

export function writeHint(command: string, rng: Rng, set: WordingSet): string {
  if (set === "trained" && rng.float() < 0.4) return stepAdvice(command);
  const reworded = rng.float() < (set === "trained" ? 0.2 : 0.3);
  return (pick(set === "trained" ? trained : keptBack, rng) as Say)(reworded ? otherWords(command, rng, set) : command);
}

const reasons = Object.keys(REASONS) as readonly Reason[];

/** Warns against one command; with `better` it also says what to do. */
export function writeWarning(command: string, better: string | undefined, rng: Rng): string {
  if (better !== undefined) {
    return pick(
      [
        `Do not ${command}; ${better} instead.`,
        `Not: ${command}. But: ${better}.`,
        `Rather than ${command}, ${better}.`,
      ],
      rng,
    ) as string;
  }
  return rng.float() < 0.7
    ? stepWarning(command, pick(reasons, rng) as Reason)
    : (pick([`Do not ${command}.`, `Avoid ${command} here.`, `Not ${command} again.`], rng) as string);
}
