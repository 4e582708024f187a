/** Retries after a reflection: the rest of the episode from its pivot on, better against worse. */
import { option } from "limbeck-base/base/option";
import { createForest } from "limbeck-base/trajectory/forest";
import { outcomeOf } from "limbeck-base/trajectory/outcome";
import { scoreValue } from "limbeck-base/trajectory/score";
import { stepsFrom } from "./answers.ts";
import { definePairSource, pairOf } from "./pair.ts";

export const r3l = definePairSource({
  info: {
    title: "Retries (R3L)",
    paper: "R3L: Reflect-then-Retry Reinforcement Learning, with pivotal credit and positive amplification",
    confidence: "code",
    source:
      "shiweijiezero/R3L @ d503f6c6; trinity/common/workflows/envs/R3L/alfworld/R3L_workflow.py: which retries are kept",
    formula: [
      "attempt and retry share everything before the pivot; compared are the answers from the pivot on",
      "the retry is preferred when its reward is at least fullSuccess and (higher, or as high in fewer steps)",
      "the advice of the reflection is taken out of the context that is learned",
    ],
    meaning: "Prefers what a guided retry did from the pivot on to what the first attempt did there, as if unadvised.",
    departures: [
      "R3L trains with advantages (credit r3l); pairs from its retries are ours.",
      "Both sides begin at the pivot, so that the shared steps have no gradient at all.",
      "Published code takes a retry of fewer steps at any reward of at least 1, even a lower one; here only at the same reward. In its worlds of questions (countdown, mathematics) only a higher reward counts, never fewer steps.",
      "Published code keeps a worthy retry twice, with the guidance and without it; here the side is without it.",
    ],
  },
  level: "trajectory",
  options: {
    fullSuccess: option.number(1, "reward from which an episode is a full success"),
  },
  find: (trajectories, { fullSuccess }, forest = createForest(trajectories)) =>
    trajectories.flatMap((retry) => {
      const { parent, info } = retry;
      const attempt = parent === undefined ? undefined : forest.get(parent.trajectory);
      if (parent === undefined || attempt === undefined || typeof info?.["guidance"] !== "string") return [];
      const [first, second] = [attempt, retry].map((one) => scoreValue(outcomeOf(one).reward));
      const [before, after] = [stepsFrom(attempt, parent.step), stepsFrom(retry)];
      if (first === undefined || second === undefined || before.length === 0 || after.length === 0) return [];
      const better = second > first || (second === first && after.length < before.length);
      if (second < fullSuccess || !better) return [];
      // Fewer steps at the same reward are worth something, but less than any reward.
      const margin = Math.max(second - first, Number.EPSILON);
      const chosen = { trajectory: retry.id, steps: after };
      return [pairOf(retry.task.id, chosen, { trajectory: attempt.id, steps: before }, margin)];
    }),
});
