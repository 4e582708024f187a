/** What it costs to score unfinished episodes with a trained scorer, against sampling them. */
import { bundledModel, openModel } from "../src/policy/local/index.ts";
import { rollout } from "../src/run/index.ts";
import { openScorer } from "../src/training/scorer/open-scorer.ts";
import { seconds, type Bench } from "./harness.ts";
import { THREADS } from "./policy-models.ts";

const EPISODES = 64;
/** Household errands end after 12. */
const HALF = 6;

export const rewardBenches: readonly Bench[] = [
  {
    name: "reward/scorer",
    summary: `Seconds to score ${EPISODES} half-finished household episodes over seconds to sample them: bundled model and scorer, ${THREADS} threads, one run.`,
    unit: "of sampling",
    goal: { at: "most", value: 0.05 },
    repetitions: 3,
    setUp: async () => {
      const policy = await openModel(bundledModel("household"), { threads: THREADS });
      const scorer = await openScorer("household", { threads: THREADS });
      let round = 0;
      return {
        measure: async () => {
          round += 1;
          let contexts: Int32Array[] = [];
          const sampling = await seconds(async () => {
            const played = await rollout({ env: "household", policy, tasks: 8, group: 8, maxSteps: HALF, seed: round });
            contexts = played.trajectories.flatMap(({ streams }) => streams.slice(-1).map(({ ids }) => ids));
          });
          const scoring = await seconds(() => scorer.scoreTokens(contexts));
          return scoring / sampling;
        },
        close: async () => {
          await policy.close();
          await scorer.close();
        },
      };
    },
  },
];
