/**
 * Tool calls against the calls of a reference (MatchTIR): each call is worth its likeness to the one it is matched with.
 */
import { canonicalJson, isObject, type JsonObject } from "limbeck-base/base/json";
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { wordF1 } from "limbeck-base/base/words";
import { greedyAssignment, optimalAssignment, transportPlan } from "limbeck-base/base/assignment";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { callSimilarity } from "limbeck-base/trajectory/call-similarity";
import { callsOf, type MadeCall } from "limbeck-base/trajectory/calls";
import { readEpisodes } from "./read-scores.ts";
import { responseText } from "./response.ts";
import { defineReward, type Award, type Givens, type Gold } from "./reward.ts";

type GoldCall = NonNullable<Gold["calls"]>[number];

export const toolMatch = defineReward({
  id: "tool-match",
  info: {
    title: "MatchTIR",
    meaning: "Each turn's tool calls matched with those of a reference, however they are ordered.",
    paper: "MatchTIR: Fine-Grained Supervision for Tool-Integrated Reasoning via Bipartite Matching",
    confidence: "code",
    source:
      "quchangle1/MatchTIR @ f614ce11; Code/verl/utils/reward_score/tool.py: tool_similarity, hungarian_assignment, assign_rewards_ot",
    formula: [
      "S = 0 where names differ, else (1 + Jaccard(parameter names) + equal values) / (2 + gold parameters)",
      "optimal: the matching with the highest sum;   greedy: best pair first;   soft: sum over j of T_ij S_ij, T by Sinkhorn",
      "turn = mean over its calls;   answer turn = F1 of its words with the right answer;   R = sum over turns",
    ],
    departures: [
      "The published code says Hungarian and matches greedily; here the optimal matching is the default and greedy an option.",
      "A call whose arguments cannot be read is left out, as in published code; a call without arguments has none here and is left out there. Values are compared as JSON, where true is not 1.",
      "Reference calls are sorted before they are matched, so that their order cannot decide a tie.",
      "soft pays a call at most 1 / calls, as published; option fullMass pays it up to 1.",
      "The published answer stands in its tags, in any turn, whose calls then do not count, and without tags scores 0; here it is the whole text of the last step, if that makes no call. Two answers without any word are alike here (1) and score 0 there. Words end here at all that is no letter or digit, there at blanks and ASCII punctuation, so that a dash of another kind joins them.",
      "Reference calls in the task's data have `name` and `arguments`; published data writes `parameters`, which is read as none here.",
      "unmatched is 0 as the published run has it; the function's own default is -0.5.",
    ],
  },
  mayUse: { gold: "the reference calls and the answer, unless the task's data holds them" },
  options: {
    matching: option.choice("optimal", ["optimal", "greedy", "soft"], "how calls find their reference"),
    regularisation: option.number(0.1, "entropy of the soft matching", { above: 0 }),
    fullMass: option.flag(false, "a soft match is worth as much as a hard one"),
    unmatched: option.number(0, "what a call without a partner costs", { most: 0 }),
    callsKey: option.text("goldCalls", "where the task's data holds the reference calls"),
    answerKey: option.text("goldAnswer", "where the task's data holds the right answer"),
  },
  score: (batch, options, givens) => {
    const episodes = readEpisodes(batch);
    return {
      awards: batch.map((trajectory): Award[] => {
        const gold = goldOf(trajectory, options.callsKey, options.answerKey, givens);
        const steps = episodes.steps(trajectory);
        if (typeof steps === "string") return [{ score: unscored(steps) }];
        if (gold.calls === undefined) return [{ score: unscored("its reference calls are not known") }];
        if (steps.length === 0) return [{ score: unscored("it has no steps") }];
        const turns = turnRewards(steps, gold.calls, gold.answer, options);
        const shared = steps.length - trajectory.steps.length;
        return [
          { score: scored(turns.reduce((sum, value) => sum + value, 0)) },
          ...trajectory.steps.map(({ index }, at) => ({ score: scored(turns[shared + at] as number), step: index })),
        ];
      }),
    };
  },
});

interface MatchOptions {
  readonly matching: "optimal" | "greedy" | "soft";
  readonly regularisation: number;
  readonly fullMass: boolean;
  readonly unmatched: number;
}

function turnRewards(
  steps: readonly Step[],
  goldCalls: readonly GoldCall[],
  answer: string | undefined,
  options: MatchOptions,
): number[] {
  const gold = [...goldCalls].sort((left, right) => (callText(left) < callText(right) ? -1 : 1));
  const perStep = steps.map((step) => callsOf(step).filter((call) => isObject(call.arguments)));
  const values = callRewards(perStep.flat(), gold, options);
  let next = 0;
  return perStep.map((calls, at) => {
    const own = values.slice(next, next + calls.length);
    next += calls.length;
    if (own.length > 0) return mean(own);
    const answers = at === steps.length - 1 && answer !== undefined;
    return answers ? wordF1(responseText(steps[at] as Step), answer) : 0;
  });
}

function callRewards(calls: readonly MadeCall[], gold: readonly GoldCall[], options: MatchOptions): number[] {
  const table = calls.map((call) => gold.map((right) => callSimilarity(call, right)));
  if (options.matching === "soft") {
    const scale = options.fullMass ? calls.length : 1;
    const plan = transportPlan(table, options.regularisation);
    return table.map((row, at) =>
      row.reduce((sum, value, column) => sum + scale * (plan[at]?.[column] ?? 0) * value, 0),
    );
  }
  const partners = options.matching === "optimal" ? optimalAssignment(table) : greedyAssignment(table);
  return partners.map((column, at) => (column < 0 ? 0 : (table[at]?.[column] ?? 0)) || options.unmatched);
}

function callText(call: GoldCall): string {
  return `${call.name.toLowerCase()} ${canonicalJson(call.arguments)}`;
}

function goldOf(trajectory: Trajectory, callsKey: string, answerKey: string, givens: Givens): Gold {
  const given = givens.gold?.(trajectory);
  const data = trajectory.task.data ?? {};
  const found = given?.answer ?? (Object.hasOwn(data, answerKey) ? data[answerKey] : undefined);
  const answer = typeof found === "number" ? String(found) : found;
  const list = Object.hasOwn(data, callsKey) ? data[callsKey] : undefined;
  const read = Array.isArray(list) ? list.flatMap(readCall) : undefined;
  const calls = given?.calls ?? read;
  return {
    ...(calls === undefined ? {} : { calls }),
    ...(typeof answer === "string" ? { answer } : {}),
  };
}

function readCall(value: JsonObject): GoldCall[] {
  if (!isObject(value) || typeof value["name"] !== "string") return [];
  const given = value["arguments"] ?? {};
  return isObject(given) ? [{ name: value["name"], arguments: given }] : [];
}
