/** What it costs to score unfinished episodes with a trained scorer, against sampling them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledModel } from "../../packages/policy/src/policy/local/bundled-model.ts";
import { openModel } from "../../packages/policy/src/policy/local/open-model.ts";
import { rollout } from "../../packages/limbeck/src/run/rollout.ts";
import type { ScorerKind } from "../../packages/training/src/training/scorer/card.ts";
import { openScorer } from "../../packages/training/src/training/scorer/open-scorer.ts";
import { saveStateHead } from "../../packages/training/src/training/scorer/state-head.ts";
import { seconds, type Bench } from "./harness.ts";
import { THREADS } from "./policy-models.ts";

const EPISODES = 64;
/** Household errands end after 12. */
const HALF = 6;

/** A head on states that was taught nothing: what it costs does not depend on what it says. */
async function plainStates(folder: string): Promise<void> {
  const size = 128;
  const inner = 32;
  const ones = (count: number): Float32Array => new Float32Array(count).fill(1);
  const parts = { centre: ones(size), spread: ones(size), up: ones(size * inner), upBias: ones(inner) };
  await saveStateHead(folder, { ...parts, out: ones(inner), outBias: ones(1) });
  const card = { form: 1, kind: "states", labels: "outcome", loss: "bce", platt: { slope: 1, shift: 0 } };
  await writeFile(join(folder, "scorer.json"), JSON.stringify({ ...card, base: "bundled:household" }));
}

function scoring(kind: ScorerKind): Bench {
  const words = {
    adapter: { name: "reward/scorer", what: "the bundled scorer, which reads them again" },
    states: { name: "reward/scorer-states", what: "a head on the states that they were said from" },
  }[kind];
  return {
    name: words.name,
    summary: `Seconds to score ${EPISODES} half-finished household episodes over seconds to sample them: bundled model, ${words.what}, ${THREADS} threads, one run.`,
    unit: "of sampling",
    goal: { at: "most", value: 0.05 },
    repetitions: 3,
    setUp: async () => {
      const policy = await openModel(bundledModel("household"), { threads: THREADS });
      const folder = await mkdtemp(join(tmpdir(), "limbeck-bench-scorer-"));
      if (kind === "states") await plainStates(folder);
      const scorer = await openScorer(kind === "states" ? folder : "household", {
        threads: THREADS,
        ...(kind === "states" ? { states: policy.keptStates } : {}),
      });
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
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

export const rewardBenches: readonly Bench[] = [scoring("adapter"), scoring("states")];
