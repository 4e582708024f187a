/** Final answers of a group, gathered by meaning, and how likely each cluster is around each turn: what SIOP learns from. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { cutWords, wordSet } from "limbeck-base/base/words";
import { clusterAnswers, clusterReferences } from "../../credit/answer-clusters.ts";
import { byGroup } from "limbeck-base/trajectory/rows";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { scoreAnswers } from "./answer-scores.ts";
import { defineProvider, withRows, withSignals } from "./provider.ts";

export const answerClusters = defineProvider({
  info: {
    title: "Answer clusters",
    meaning:
      "Gathers the final answers of a group that mean the same, and scores up to three members of each cluster around every turn.",
    cost: "up to `members` scored answers for each turn, on shared history; no verifier",
    departures: [
      "Two answers mean the same when each has all words of the other, whatever their order and case; published code asks a model of entailment.",
      "The final answer is the last action of an episode that its world ended; an episode that was cut off gave none.",
    ],
  },
  supplies: ["answerClusters"],
  options: {
    members: option.count(3, "answers that stand for a cluster"),
  },
  provide: async (batch, episodes, update, { members }) => {
    const clusterOf = new Map<string, string | null>();
    const answersOf = new Map<string, readonly string[]>();
    let clusters = 0;
    for (const { trajectories } of byGroup(episodes)) {
      const answers = trajectories.map(finalAnswer);
      const ids = clusterAnswers(answers, hasAllWords);
      const standing = clusterReferences(answers, ids, members);
      clusters += standing.size;
      for (const [at, { id }] of trajectories.entries()) {
        const cluster = ids[at] ?? null;
        clusterOf.set(id, cluster);
        answersOf.set(id, cluster === null ? [] : (standing.get(cluster) ?? []));
      }
    }
    const { around, lost } = await scoreAnswers(batch, episodes, update, ({ id }) => answersOf.get(id) ?? []);
    const likelihood = (logprobs: readonly number[]): number => mean(logprobs.map((value) => Math.exp(value)));
    const found = withRows(batch, (row, at) => {
      const turn = around[at];
      const id = turn === undefined ? null : (clusterOf.get(row.trajectory) ?? null);
      const [before, after] = turn === undefined ? [0, 0] : [likelihood(turn.before), likelihood(turn.after)];
      return withSignals(row, { cluster: { id, before, after } });
    });
    const answered = [...clusterOf.values()].filter((id) => id !== null).length;
    return { batch: found, metrics: { clusters, answered, lost } };
  },
});

function finalAnswer({ ending, steps }: Trajectory): string | null {
  return ending === "terminated" ? (steps.at(-1)?.action ?? null) : null;
}

/** The claim says nothing that the premise does not say. */
export function hasAllWords(premise: string, claim: string): boolean {
  const said = wordSet(premise);
  return cutWords(claim).every((word) => said.has(word));
}
