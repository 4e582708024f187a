/** Right answers in few calls (TRACE of HyperEyes): successes are ranked within their group, against a reference of their task. */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { callsOf, triedCalls } from "limbeck-base/trajectory/calls";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { readEpisodes } from "./read-scores.ts";
import { episodeLength, tighten } from "./references.ts";
import { defineReward, type Award } from "./reward.ts";

const options = {
  bonus: option.choice(
    "ranks",
    ["ranks", "share"],
    "rank within the group, or the share of the reference that was saved",
  ),
  weight: option.share(0.5, "share: how much of a success hangs on its rounds"),
  rounds: option.choice(
    "calls",
    ["calls", "steps"],
    "count steps with a tool call (every step where there are no tools), or steps",
  ),
};

export const trace = defineReward({
  id: "trace",
  info: {
    title: "TRACE",
    meaning: "A success is worth more the fewer calls it took, by rank in its group, against a reference for its task.",
    paper: "HyperEyes: Dual-Grained Efficiency-Aware Reinforcement Learning for Parallel Multimodal Search Agents",
    confidence: "code",
    source:
      "DeepExperience/HyperEyes @ 61548258; RL/relax-hypereyes/examples/HyperEyes/HyperEyes_reward_V1_2_w_dynamic_w_OPD_v0.py: compute_group_bonus, BaselineCache, reward_func",
    formula: [
      "right: R = 1 + bonus;   wrong: R = penalty;   no answer: R = -0.5",
      "right within the reference: bonus from 0.20 (fewest rounds, then fewest calls) down to 0.05;   beyond it: from -0.02 to -0.10;   without a call: 0;   one alone in its group: R = 1 or 0",
      "wrong: penalty = -0.1 if rounds < reference or rounds > 1.5 * reference, else 0",
      "reference after the batch = min(reference before, least rounds of its successes with a call)",
      "share: R = 1 + weight * clip((reference - rounds) / reference, -1, 1) for a success, else 0",
    ],
    departures: [
      "A round is a step that tries a call, in the forms that worlds with tools take, and the calls of it that can be read are what the source calls searches; the source counts tagged calls, one of which holds several searches. A reference holds rounds alone; the source asks for no more searches than in the demonstration too.",
      "The reference tightens from batch to batch. The source has a cache that does so, and its released entry point leaves it out.",
      "A task without a reference is compared with the best success of its own batch, and its failures are 0 where there is none. The source starts with a demonstration; without one its reference is -1, which makes every failure -0.1 and ranks every success with calls from -0.02 to -0.10.",
      "The world says what is right; in the source a chat model judges. A failed episode that was cut off gave no answer, in the source one without answer tags; a success counts as right however it ended, and an episode that ended in an error has no outcome and is left out. The source rounds bonuses to four digits.",
      "Option bonus: share is our own and was the only form before 19 November 2026; there an answer without a call counts as one round.",
      "The distillation of failed rollouts is no reward and is not here: recipe opd with taught: failed.",
    ],
  },
  mayUse: { references: "the least rounds known of each task, from the batch before" },
  options,
  score: (batch, { bonus, weight, rounds }, { references }) => {
    const count = counter(batch, rounds);
    const after = tighten(references, batch, (trajectory) => {
      const own = count(trajectory);
      return typeof own === "string" || own.rounds === 0 ? undefined : own.rounds;
    });
    const counted = batch.map((trajectory): Counted | Award => {
      if (trajectory.success === null) return { score: unscored("its outcome is not known") };
      const own = count(trajectory);
      if (typeof own === "string") return { score: unscored(`its rounds cannot be counted: ${own}`) };
      const reference = references?.get(trajectory.task.id) ?? after.get(trajectory.task.id);
      return { ...own, trajectory, right: trajectory.success, reference };
    });
    const given = new Map<Counted, number>();
    if (bonus === "ranks") {
      const groups = groupedBy(counted.filter(isCounted), ({ trajectory }) => trajectory.group);
      for (const group of groups.values()) for (const [own, score] of ranked(group)) given.set(own, score);
    }
    const awards = counted.map((own): Award[] => {
      if (!isCounted(own)) return [own];
      const score = given.get(own) ?? saved(own, weight);
      return [{ score: scored(score), comment: `${own.rounds} rounds, reference ${own.reference ?? "unknown"}` }];
    });
    return { awards, references: after };
  },
});

interface Rounds {
  readonly rounds: number;
  readonly calls: number;
}

interface Counted extends Rounds {
  readonly trajectory: Trajectory;
  readonly right: boolean;
  readonly reference: number | undefined;
}

function isCounted(own: Counted | Award): own is Counted {
  return "trajectory" in own;
}

/** Rounds and calls of an episode, or why they cannot be counted. */
function counter(batch: readonly Trajectory[], rounds: OptionValues<typeof options>["rounds"]) {
  const episodes = readEpisodes(batch);
  // Worlds of plain text have no calls: there each action is one.
  const withCalls =
    rounds === "calls" &&
    batch.some(({ steps, tools = [] }) => tools.length > 0 || steps.some((step) => callsOf(step).length > 0));
  return (trajectory: Trajectory): Rounds | string => {
    if (!withCalls) return { rounds: episodeLength(trajectory), calls: episodeLength(trajectory) };
    const steps = episodes.steps(trajectory);
    if (typeof steps === "string") return steps;
    return {
      rounds: steps.filter((step) => triedCalls(step) > 0).length,
      calls: steps.reduce((total, step) => total + callsOf(step).length, 0),
    };
  };
}

/** What each of a group is worth. One alone is not compared. */
function ranked(group: readonly Counted[]): Map<Counted, number> {
  const worth = new Map(group.map((own) => [own, group.length === 1 ? Number(own.right) : basis(own)]));
  const ranks = group.length === 1 ? [] : group.filter(({ right, rounds }) => right && rounds > 0);
  const isWithin = ({ rounds, reference = 0 }: Counted): boolean => rounds <= reference;
  const spread = (own: readonly Counted[], best: number, worst: number): void => {
    const places = [...new Set(own.map(place))].sort((left, right) => left - right);
    const step = (best - worst) / Math.max(1, places.length - 1);
    for (const one of own) worth.set(one, 1 + best - step * places.indexOf(place(one)));
  };
  spread(ranks.filter(isWithin), 0.2, 0.05);
  spread(
    ranks.filter((own) => !isWithin(own)),
    -0.02,
    -0.1,
  );
  return worth;
}

/** By rounds, then by calls. */
function place({ rounds, calls }: Counted): number {
  return rounds * 1e6 + calls;
}

function basis({ right, rounds, reference, trajectory }: Counted): number {
  if (right) return 1;
  if (trajectory.ending !== "terminated") return -0.5;
  if (reference === undefined) return 0;
  return rounds < reference || rounds > Math.floor(1.5 * reference) ? -0.1 : 0;
}

function saved({ right, rounds, reference = 1 }: Counted, weight: number): number {
  // A reference of 0 would divide by nothing, and a guess without a call is a round too.
  const least = Math.max(1, reference);
  return right ? 1 + weight * Math.min(1, Math.max(-1, (least - Math.max(1, rounds)) / least)) : 0;
}
