/** Right answers in few rounds (TRACE of HyperEyes): a success is compared with the least rounds known for its task. */
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { readEpisodes } from "./read-scores.ts";
import { episodeLength, tighten } from "./references.ts";
import { callsOf } from "./response.ts";
import { defineReward, type Award } from "./reward.ts";

export const trace = defineReward({
  id: "trace",
  info: {
    title: "TRACE",
    meaning: "A success is worth more the fewer rounds it took, against a reference for its task that only tightens.",
    paper: "HyperEyes: Dual-Grained Efficiency-Aware Reinforcement Learning for Parallel Multimodal Search Agents",
    confidence: "inferred",
    formula: [
      "success: R = 1 + weight * clip((reference - rounds) / reference, -1, 1);   failure: R = 0",
      "reference after the batch = min(reference before, least rounds of its successes)",
    ],
    departures: [
      "The size of the bonus is ours; only an abstract was at hand.",
      "A task without a reference is compared with the best success of its own batch.",
      "The distillation of failed rollouts that the paper adds is no reward and is not here.",
    ],
  },
  mayUse: { references: "the least rounds known of each task, from the batch before" },
  options: {
    weight: option.share(0.5, "how much of a success hangs on its rounds"),
    rounds: option.choice("steps", ["steps", "calls"], "count steps, or steps with at least one tool call"),
  },
  score: (batch, { weight, rounds }, { references }) => {
    const episodes = readEpisodes(batch);
    const count = (trajectory: Trajectory): number | undefined => {
      if (rounds === "steps") return episodeLength(trajectory);
      const steps = episodes.steps(trajectory);
      return typeof steps === "string" ? undefined : steps.filter((step) => callsOf(step).length > 0).length;
    };
    const after = tighten(references, batch, count);
    const known = (task: string): number => references?.get(task) ?? after.get(task) ?? 1;
    const awards = batch.map((trajectory): Award[] => {
      if (trajectory.success === null) return [{ score: unscored("nobody said whether it succeeded") }];
      if (!trajectory.success) return [{ score: scored(0) }];
      const own = count(trajectory);
      if (own === undefined) return [{ score: unscored("its rounds cannot be counted without its parent") }];
      // A reference of 0 (an answer without any call) would divide by nothing.
      const reference = Math.max(1, known(trajectory.task.id));
      const saved = Math.min(1, Math.max(-1, (reference - own) / reference));
      return [{ score: scored(1 + weight * saved), comment: `${own} rounds, reference ${reference}` }];
    });
    return { awards, references: after };
  },
});
