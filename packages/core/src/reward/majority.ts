/** What most of a group answered counts as right: a reward without labels. */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { defineReward, type Award } from "./reward.ts";

export const majority = defineReward({
  id: "majority",
  info: {
    title: "Majority vote",
    meaning:
      "An episode is right where its last action is the one that most of its group ended with; no label is read.",
    paper: "TTRL, arXiv 2504.16084; ECHO: Entropy-Confidence Hybrid Optimization for Test-Time Reinforcement Learning",
    confidence: "code",
    source: "PRIME-RL/TTRL @ 3e2cc937; verl/verl/utils/reward_score/ttrl/ttt_metrics.py: test_time_train_metrics",
    formula: [
      "answer = the last action of an episode that came to its own end, without regard to case and spaces",
      "R = 1 where it is the most frequent answer of the group, else 0; 0 where the episode was cut",
      "part share: votes for that answer over all votes of the group",
    ],
    departures: [
      "Published code votes with what it finds in the text (what is boxed, else the last number), so an answer that was cut or is empty votes too and may be paid, and it pays answers that are mathematically equal to the winner. Here the texts of last actions are compared, and what was cut has no vote: part share is of those that voted, there of all answers.",
      "Where two answers have as many votes, or fewer than `least` episodes voted, nothing is scored: chance would decide. Published code takes the answer that came first, and needs no number of votes.",
      "Published runs vote with 64 answers of a question and train on the first 32 of them; here a whole group votes and is trained on.",
    ],
  },
  options: {
    least: option.count(2, "votes that a group must have"),
  },
  score: (batch, { least }) => {
    const verdicts = new Map(
      [...groupedBy(batch, ({ group }) => group)].map(([group, own]) => [group, verdictOf(own, least)] as const),
    );
    return { awards: batch.map((trajectory) => awardsOf(trajectory, verdicts.get(trajectory.group))) };
  },
});

interface Verdict {
  /** Undefined where the group has none. */
  readonly answer: string | undefined;
  readonly share: number;
  readonly votes: number;
}

function answerOf({ ending, steps }: Trajectory): string | undefined {
  const action = ending === "terminated" ? steps.at(-1)?.action : undefined;
  return action?.trim().toLowerCase().replace(/\s+/g, " ");
}

function verdictOf(group: readonly Trajectory[], least: number): Verdict {
  const votes = group.flatMap((one) => answerOf(one) ?? []);
  const counted = [...groupedBy(votes, (answer) => answer)].map(([answer, own]) => ({ answer, count: own.length }));
  const [first, second] = counted.toSorted((left, right) => right.count - left.count);
  const isClear = first !== undefined && votes.length >= least && first.count > (second?.count ?? 0);
  return { answer: isClear ? first.answer : undefined, share: (first?.count ?? 0) / votes.length, votes: votes.length };
}

function awardsOf(trajectory: Trajectory, verdict: Verdict | undefined): Award[] {
  if (verdict?.answer === undefined) {
    return [{ score: unscored(`no answer has a majority among the ${verdict?.votes ?? 0} votes of its group`) }];
  }
  const agrees = answerOf(trajectory) === verdict.answer;
  return [{ score: scored(agrees ? 1 : 0) }, { part: "share", score: scored(verdict.share) }];
}
