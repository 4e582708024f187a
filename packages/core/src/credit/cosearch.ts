/** CoSearch's ranker groups: rankings for like sub-queries are compared, whichever rollout asked. */
import { option } from "limbeck-base/base/option";
import { columnOf, countOf } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { episodes } from "./examples.ts";
import { asTerm, groupAdvantages } from "./groups.ts";
import { outcomeAt } from "./scores.ts";
import { comparison, share } from "./shared-options.ts";
import { similarity, stateGroups, stateMatch } from "./states.ts";

const ranking = (state: string, reward: number) => ({ state, reward, signals: { answerInDocuments: true } });

export const cosearch = defineCredit({
  info: {
    title: "CoSearch (ranker groups)",
    paper: "CoSearch: Joint Training of Reasoning and Document Ranking via Reinforcement Learning for Agentic Search",
    confidence: "code",
    source:
      "snap-research/CoSearch @ 763bf8c4; verl/verl/experimental/agent_loop/score_assign_functions.py: sum_tool_agent_score_with_cond_threshold; uid_group_functions.py: group_by_muid_ans_in_doc_subq_rougeL1; scripts/train_co_search_grpo.sh",
    formula: [
      "A = (s - mean(s)) / (std(s) + epsilon)   over rows of one task with like sub-queries (the state) and the same signals.answerInDocuments",
      "s = q + outcomeWeight * o   where q >= gate; where no document holds the answer, q >= 0 is enough;   s = q otherwise",
      "q: the row's reward, the quality of its ranking;   o = 1 where the episode's outcome >= outcomeThreshold, else 0",
      "like: F1 of their words >= similarity to the first sub-query of the group, without case, articles and punctuation",
    ],
    meaning: "Trains a ranker beside the searcher without extra samples, by comparing rankings of like queries.",
    departures: [
      "The paper's text was not read; the defaults are those of the authors' script (gate 0.8; the function's own is 0.5).",
      "The outcome is the world's; in published code it is the F1 of the answer's words, or -0.2 where any turn has the wrong form.",
      "The quality of a ranking comes with the row; in published code it is the mean of Hit@1, Hit@3 and Hit@5, -0.2 for an answer in the wrong form, and 0 where no document holds the answer or the right answer is a mere yes or no.",
      "Published code leaves out groups of three rows or fewer and groups of equal scores, and at random what exceeds twice the searcher's rows (where nothing is left it keeps some all the same); here no row is left out, and a group of one keeps its score (option singleton).",
      "Published code gives rows of a group with the same prompt and the same ranking the mean of their scores; here each keeps its own.",
      "Rows of different signals.role are never compared; in published code only the ranker's rows come here, and the searcher's own use GRPO. There the ranker is a second model; here one policy may play both.",
      "Rows without signals.answerInDocuments count as without the answer, and groups depend on the order of rows, as in published code.",
    ],
  },
  needs: ["states", "stepRewards"],
  options: {
    outcomeWeight: option.number(1, "weight of the trajectory's outcome", { least: 0 }),
    outcomeThreshold: option.number(0.8, "least outcome that counts as right"),
    gate: share(0.8, "least quality at which the outcome counts, where a document holds the answer"),
    stateMatch: stateMatch("words"),
    similarity: similarity(0.8),
    ...comparison("raw", "the rows of one task in one state"),
  },
  laws: { shift: false, scale: "neither", zeroSum: false },
  example: {
    about: "Two rollouts asked the same; the better ranking wins, though the other rollout found the answer.",
    batch: episodes({
      X: { outcome: 1, steps: [ranking("who wrote it", 1 / 3)] },
      Y: { outcome: 0, steps: [ranking("who wrote it", 1)] },
    }),
  },
  compute: (batch, options) => {
    const { rows } = batch;
    const groups = stateGroups(batch, options, ({ task, signals }) =>
      JSON.stringify([task, signals?.answerInDocuments === true, signals?.role ?? ""]),
    );
    const counted = columnOf(rows, ({ reward, signals }, at) => {
      const least = signals?.answerInDocuments === true ? options.gate : 0;
      return reward >= least && outcomeAt(batch, at) >= options.outcomeThreshold ? 1 : 0;
    });
    const scores = columnOf(rows, ({ reward }, at) => reward + options.outcomeWeight * (counted[at] ?? 0));
    const { terms, metrics } = asTerm("ranking", groupAdvantages(scores, groups, options));
    return { terms, metrics: { ...metrics, outcomesCounted: countOf(counted) } };
  },
});
