/** What a warmed-up model was made from, beside its weights: for people in README.md, for programs in warm-up.json. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { evaluationWords } from "../../eval/evaluate.ts";
import type { Evaluation } from "../../eval/index.ts";
import type { Stopped } from "./learn-until.ts";
import type { Verdict } from "./verdict.ts";
import type { WordCheck } from "./word-check.ts";

export interface Measured {
  /** Without advice, as a training evaluates: temperature 0.4. */
  readonly none: Evaluation;
  /** The same at temperature 1, at which a training plays. */
  readonly sampled: Evaluation;
  /** With the way that works told at the opening, and with that of another task; missing where nobody showed one. */
  readonly right?: Evaluation;
  readonly wrong?: Evaluation;
}

export interface Card {
  readonly env: string;
  readonly base: string;
  /** Who showed the way. */
  readonly from: string;
  readonly demonstrations: number;
  readonly lessons: number;
  readonly adviceShare: number;
  readonly seed: number;
  readonly updates: number;
  readonly stopped: Stopped;
  readonly until: number;
  readonly learningRate: number;
  readonly batchRows: number;
  readonly parameters: number;
  /** Room that an answer needs in a training: its setting of that name, where it is above the default. */
  readonly answerTokens: number;
  readonly words: WordCheck;
  readonly measured: Measured;
  readonly verdict: Verdict;
  readonly seconds: number;
  readonly processorSeconds: number;
}

export async function writeCard(folder: string, card: Card): Promise<void> {
  await writeFile(join(folder, "warm-up.json"), `${JSON.stringify(card, undefined, 2)}\n`);
  await writeFile(join(folder, "README.md"), cardText(card));
}

/** Names and texts come from files of others; on a card they stand on one line. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}`|]+/gu, " ").slice(0, 200);
}

function cardText(card: Card): string {
  const { measured, verdict, words } = card;
  const rows: readonly (readonly [string, Evaluation | undefined])[] = [
    ["without advice", measured.none],
    ["without advice, temperature 1", measured.sampled],
    ["with right advice", measured.right],
    ["with wrong advice", measured.wrong],
  ];
  return [
    `# A starting model for ${oneLine(card.env)}`,
    "",
    "Made by `limbeck warm-up`. A training goes on from here: `limbeck train --model` and this folder.",
    "",
    `- base: ${oneLine(card.base)}, ${card.parameters.toLocaleString("en-GB")} parameters`,
    `- shown by: ${oneLine(card.from)}, ${card.demonstrations} episodes; ${card.lessons} lessons, ${(100 * card.adviceShare).toFixed(0)}% of them with advice`,
    `- ${card.updates} updates of ${card.batchRows} lessons at a rate of ${card.learningRate}, seed ${card.seed}; stopped: ${card.stopped}, wanted ${card.until}`,
    `- ${words.tokensPerWord.toFixed(1)} tokens a word, ${words.mostTokens} tokens in the longest lesson, ${words.mostAnswerTokens} in the longest answer`,
    `- ${card.seconds.toFixed(0)} s, ${card.processorSeconds.toFixed(0)} s of processor time`,
    "",
    "| validation tasks | success (95% interval) |",
    "| --- | --- |",
    ...rows.flatMap(([name, evaluation]) =>
      evaluation === undefined ? [] : [`| ${name} | ${oneLine(evaluationWords(evaluation))} |`],
    ),
    "",
    ...verdict.words.map(oneLine),
    "",
  ].join("\n");
}
