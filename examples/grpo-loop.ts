/**
 * One whole training, written out: GRPO through the public doors only.
 *
 *     npx tsx examples/grpo-loop.ts            # 20 updates on the household world, some minutes
 *     npx tsx examples/grpo-loop.ts --tiny     # one small update, to see it run
 *
 * Letters at the end of a name are its shape: P tasks, G episodes of a task, R rows to learn from (one stream of
 * tokens each), T tokens of a row. So `advantages_R_T[r][t]` belongs to token t of row r.
 */
import { evaluate, openEnv, openModel, rollout, type LocalModel, type Trajectory } from "limbeck";
import type { ObjectiveResult, Statistics, TrainRow } from "limbeck/policy";
import { bundledModel } from "limbeck/local";
import { byGroup, scoreValue } from "limbeck/reward";

const tiny = process.argv.includes("--tiny");
const UPDATES = tiny ? 1 : 20;
const TASKS_P = tiny ? 6 : 8;
const EPISODES_G = tiny ? 4 : 8;
const HELD_OUT = tiny ? 4 : 64;
const ANSWER_TOKENS = 24;
const LEARNING_RATE = 3e-4;
const CLIP = 0.2;

const env = await openEnv("household", { dial: "tiny" });
const model = await openModel(bundledModel("household"));
try {
  const before = await heldOutSuccess(model);
  for (let update = 0; update < UPDATES; update += 1) {
    // 1. Play: G episodes of each of P tasks, with the newest weights.
    const { trajectories: episodes_PG, success } = await rollout({
      env,
      policy: model,
      tasks: TASKS_P,
      offset: update * TASKS_P,
      group: EPISODES_G,
      answerTokens: ANSWER_TOKENS,
      seed: update,
    });
    // 2. Compare each episode with the others of its task.
    const rows_R = rowsOf(episodes_PG);
    if (rows_R.length === 0) continue;
    // 3. Gradients of the loss, then one step.
    const { loss } = await model.backward(rows_R, { needs: ["logprob"], compute: clippedLoss });
    const { gradientNorm } = await model.step({ learningRate: LEARNING_RATE, clipNorm: 1 });
    say(
      `update ${update + 1}: success ${percent(success)}, loss ${loss.toFixed(4)}, gradient ${gradientNorm.toFixed(2)}`,
    );
  }
  const after = await heldOutSuccess(model);
  say(`held-out success before ${percent(before)}, after ${percent(after)}`);
} finally {
  await model.close();
}

/** A = (reward - mean of the group) / (its standard deviation + 1e-6), the same for every token of the episode. */
function rowsOf(episodes_PG: readonly Trajectory[]): TrainRow[] {
  const rows_R: TrainRow[] = [];
  for (const { trajectories: episodes_G } of byGroup(episodes_PG)) {
    const rewards_G = episodes_G.map(({ reward }) => scoreValue(reward) ?? 0);
    const mean = rewards_G.reduce((sum, reward) => sum + reward, 0) / rewards_G.length;
    const variance = rewards_G.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / rewards_G.length;
    episodes_G.forEach(({ id, group, streams }, g) => {
      const advantage = ((rewards_G[g] ?? 0) - mean) / (Math.sqrt(variance) + 1e-6);
      // A stream holds exact ids, a mask of what the policy said, and its log-probabilities then.
      for (const { ids: ids_T, mask: mask_T, logprobs: logprobs_T = new Float32Array(ids_T.length) } of streams) {
        rows_R.push({
          ids: ids_T,
          mask: mask_T,
          group,
          trajectory: id,
          advantages: Float64Array.from(mask_T, (on) => on * advantage),
          oldLogprobs: Float64Array.from(logprobs_T),
        });
      }
    });
  }
  // Where a whole group did equally well there is nothing to learn.
  return rows_R.filter(({ advantages: advantages_T }) => advantages_T?.some((advantage) => advantage !== 0));
}

/**
 * The clipped loss of PPO, averaged over all trained tokens:
 *
 *     L = mean of max(-A r, -A clip(r, 0.8, 1.2)),   r = exp(logprob now - logprob then)
 *
 * `weights` are d(loss)/d(logprob); the engine carries them through the model.
 */
function clippedLoss(
  { logprob: logprobs_R_T = [] }: Statistics,
  _frozen: Statistics,
  rows_R: readonly TrainRow[],
): ObjectiveResult {
  const tokens = rows_R.reduce((sum, { mask: mask_T }) => sum + mask_T.reduce((own, on) => own + on, 0), 0);
  let loss = 0;
  const weights_R_T = rows_R.map(({ mask: mask_T, advantages: advantages_T, oldLogprobs: oldLogprobs_T }, r) => {
    const logprobs_T = logprobs_R_T[r];
    return Float64Array.from(mask_T, (on, t) => {
      if (on === 0) return 0;
      const advantage = advantages_T?.[t] ?? 0;
      const ratio = Math.exp((logprobs_T?.[t] ?? 0) - (oldLogprobs_T?.[t] ?? 0));
      const free = -advantage * ratio;
      const clipped = -advantage * Math.min(Math.max(ratio, 1 - CLIP), 1 + CLIP);
      loss += Math.max(free, clipped) / tokens;
      // Where the clipped side is larger it is constant, and pulls at nothing.
      return free >= clipped ? free / tokens : 0;
    });
  });
  return { loss, weights: { logprob: weights_R_T } };
}

async function heldOutSuccess(policy: LocalModel): Promise<number | null> {
  const options = { split: "valid", tasks: HELD_OUT, answerTokens: ANSWER_TOKENS, temperature: 0.4 };
  return (await evaluate({ env, policy, ...options })).success;
}

function percent(share: number | null): string {
  return share === null ? "unknown" : `${(100 * share).toFixed(1)}%`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
