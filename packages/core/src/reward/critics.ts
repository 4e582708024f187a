/** Several critiques of one trajectory, merged turn by turn (after MultiCritique). */
import { badOption } from "limbeck-base/base/options";
import { isObject, parseJson, type Json } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { scored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { askSeveral } from "./ask-judge.ts";
import { concurrencyOption, eachEpisode, noAward, ownSteps } from "./each-episode.ts";
import { faultPrompt } from "./judge-prompt.ts";
import { defineAskingReward, type Award } from "./reward.ts";

export const critics = defineAskingReward({
  id: "critics",
  info: {
    title: "Merged critics",
    meaning: "Several critiques name the turns at fault; what enough of them name counts, what one made up does not.",
    paper: "Training Language Models to Critique With Multi-agent Feedback (MultiCritique)",
    confidence: "reading",
    source: "a review of arXiv 2410.15287 in public notes",
    formula: [
      "votes_k = critiques that name turn k;   fault_k = 1 where votes_k >= agree * critiques, else 0",
      "step k: 1 - fault_k;   R = mean over the turns",
    ],
    departures: [
      "Merged by vote where the paper lets another model class each remark and merge the best; the same judge is asked several times unless yours turns to another model each time.",
      "Critics that learn from what was merged: limbeck reward judge --method multi-critique.",
    ],
  },
  needs: ["judge"],
  options: {
    question: option.text("Name a turn when it did harm, was wrong or led nowhere.", "what makes a fault"),
    critiques: option.number(3, "how many are asked for", { least: 1, most: 64, whole: true }),
    minCritiques: option.count(2, "with fewer usable ones it is unscored"),
    agree: option.number(0.5, "share of critiques that makes a fault", { above: 0, most: 1 }),
    withReasoning: option.flag(false, "show the critics the agent's hidden reasoning"),
    maxCharacters: option.count(40_000, "a longer record is cut, every turn alike", 200),
    concurrency: concurrencyOption("trajectories criticised at once"),
  },
  score: async (batch, options, { judge, signal }) => {
    if (options.minCritiques > options.critiques) {
      throw badOption("critics", "minCritiques", options.minCritiques, `at most critiques (${options.critiques})`);
    }
    const give = async (trajectory: Trajectory, steps: readonly Step[]): Promise<Award[]> => {
      const turns = steps.map(({ index }) => index);
      const prompt = faultPrompt(trajectory, steps, options);
      const { answers: found, lost } = await askSeveral("the critic", options.critiques, async () =>
        readFaults(await judge(prompt), turns),
      );
      if (found.length < options.minCritiques) {
        return noAward(`${found.length} of ${options.critiques} critiques could be used: ${lost}`);
      }
      const votes = turns.map((turn) => found.filter((faults) => faults.has(turn)).length);
      const isRight = (count: number): number => (count >= options.agree * found.length ? 0 : 1);
      return [
        { score: scored(votes.filter((count) => isRight(count) === 1).length / turns.length) },
        ...ownSteps(trajectory, votes, (count) => ({
          score: scored(isRight(count)),
          comment: `named by ${count} of ${found.length}`,
        })),
      ];
    };
    const { concurrency } = options;
    return { awards: await eachEpisode(batch, { concurrency, signal, without: noAward }, give) };
  },
});

/** The last object with a list of faults, wherever it stands in the answer. */
function readFaults(reply: unknown, turns: readonly number[]): ReadonlySet<number> | string {
  if (typeof reply !== "string") return "the critic did not answer with text";
  const objects = [reply.trim(), ...(reply.match(/\{[^{}]{0,5000}\}/g) ?? [])].flatMap((text) => {
    const parsed = parseJson(text);
    return isObject(parsed) && Array.isArray(parsed["faults"]) ? [parsed["faults"] as readonly Json[]] : [];
  });
  const list = objects.at(-1);
  if (list === undefined) return "the answer has no list of faults";
  const named = list.map((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value));
  const wrong = named.findIndex((value) => !turns.includes(value as number));
  return wrong < 0 ? new Set(named as number[]) : "the answer names a turn that is not there";
}
