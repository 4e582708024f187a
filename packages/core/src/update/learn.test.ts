import { expect, test } from "vitest";
import {
  corridor,
  corridorDialect,
  openUpdate,
  smallModel,
  type Tried,
  type TryParts,
} from "../../../../test/support/recipe-bench.ts";
import { evenTokens } from "../../../../test/support/small-training.ts";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { createStrategy } from "../rollout/registry.ts";
import { scored, scoreValue } from "limbeck-base/trajectory/score";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { UpdateContext } from "./context.ts";
import { credit } from "./credit.ts";
import { learn } from "./learn.ts";

/** Episodes that this model has said itself, before it learned; even tokens are worth a point. All small models begin alike. */
const played = (model: LocalModel): Promise<readonly Trajectory[]> => (known ??= play(model));
let known: Promise<readonly Trajectory[]> | undefined;

async function play(model: LocalModel): Promise<readonly Trajectory[]> {
  const env = corridor();
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { count: 2 })) tasks.push(task);
  const agent = createTokenAgent({ policy: model, dialect: corridorDialect, answerTokens: 6 });
  const { trajectories } = await rollOut({
    env,
    agent,
    tasks,
    seed: "one",
    strategy: createStrategy("group", { size: 3 }),
  });
  return await evenTokens(trajectories);
}

type Opened = Tried & { readonly update: UpdateContext };

/** One update of GRPO on these episodes. */
async function learned(
  model: LocalModel,
  episodes: readonly Trajectory[],
  given: Readonly<Record<string, unknown>> = {},
  parts: Pick<TryParts, "credit" | "learningRate" | "update" | "updates"> = {},
): Promise<Opened & { readonly rows: readonly TrainRow[] }> {
  const tried = await openUpdate("grpo", { model, given, ...parts });
  const { rows } = await credit(tried.update, episodes);
  await learn(tried.update, rows, "clipped");
  return { ...tried, rows };
}

/** The policy gradient of every trained token, times a weight that is made of its log-ratio and its advantage. */
function byHand(weightOf: (logRatio: number, advantage: number) => number): Objective {
  return {
    needs: ["logprob"],
    compute: ({ logprob = [] }, _frozen, rows) => {
      const tokens = rows.reduce((total, { mask }) => total + mask.reduce((sum, on) => sum + on, 0), 0);
      const weights = rows.map(({ mask, advantages = [], oldLogprobs = [] }, row) =>
        Float64Array.from(mask, (on, at) => {
          const [own, advantage] = [logprob[row]?.[at] ?? 0, advantages[at] ?? 0];
          return on === 0 ? 0 : (-advantage * weightOf(own - (oldLogprobs[at] ?? 0), advantage)) / tokens;
        }),
      );
      return { loss: 0, weights: { logprob: weights } };
    },
  };
}

/** PPO's: the ratio, and nothing where it has left 0.8 to 1.2 in the direction of the advantage, or beyond 3 below 0. */
function clippedRatio(logRatio: number, advantage: number): number {
  const ratio = Math.exp(logRatio);
  if (advantage > 0) return ratio > 1.2 ? 0 : ratio;
  return ratio < 0.8 || ratio > 3 ? 0 : ratio;
}

/** The weights after one step along a gradient that is written down here. */
async function stepped(model: LocalModel, rows: readonly TrainRow[], objective: Objective): Promise<Float32Array> {
  await model.backward(rows, objective);
  await model.step({ learningRate: 0.01, weightDecay: 0, clipNorm: 1 });
  return model.weights.flat.slice();
}

test("Adam's settings are those of the recipe", async () => {
  const given = { beta1: 0.5, beta2: 0.9, epsilon: 0.1, weightDecay: 0.2, clipNorm: null };
  const [model, twin] = [await smallModel(), await smallModel()];
  const episodes = await played(model);
  const { rows } = await learned(model, episodes, given, { learningRate: 0.01 });
  await twin.backward(
    rows,
    byHand(() => 1),
  );
  await twin.step({ learningRate: 0.01, beta1: 0.5, beta2: 0.9, epsilon: 0.1, weightDecay: 0.2 });
  expect(farthest(model.weights.flat, twin.weights.flat)).toBeLessThan(CLOSE);
  // With an epsilon this large a step is far shorter than the learning rate: the settings have been read.
  const plain = await smallModel();
  await learned(plain, episodes, {}, { learningRate: 0.01 });
  expect(farthest(model.weights.flat, plain.weights.flat)).toBeGreaterThan(0.005);
});

/** A thousandth of the first step, which moves every weight by about the learning rate, 0.01. */
const CLOSE = 1e-5;

function farthest(left: Float32Array, right: Float32Array): number {
  return left.reduce((most, value, at) => Math.max(most, Math.abs(value - (right[at] as number))), 0);
}

function distance(left: Float32Array, right: Float32Array): number {
  return Math.sqrt(left.reduce((sum, value, at) => sum + (value - (right[at] as number)) ** 2, 0));
}

test("tokens of an older version are learned from by their ratio, not as if they were fresh", async () => {
  const models = await Promise.all([smallModel(), smallModel(), smallModel()]);
  try {
    const [model, ratios, plain] = models;
    const episodes = await played(model);
    // Two updates on the same episodes: in the second all of their tokens are a version old.
    for (const each of models) await learned(each, episodes);
    const { record, rows } = await learned(model, episodes);
    expect(record.metrics["staleShare"]).toBe(1);
    expect(record.metrics["ratioSpread"]).toBeGreaterThan(0.01);
    const found = model.weights.flat;
    expect(farthest(found, await stepped(ratios, rows, byHand(clippedRatio)))).toBeLessThan(CLOSE);
    expect(
      farthest(
        found,
        await stepped(
          plain,
          rows,
          byHand(() => 1),
        ),
      ),
    ).toBeGreaterThan(1e-3);
  } finally {
    for (const model of models) await model.close();
  }
});

test("fresh tokens that are learned from once keep the plain gradient, and say nothing of ratios", async () => {
  const [model, plain] = [await smallModel(), await smallModel()];
  try {
    const start = plain.weights.flat.slice();
    const { record, rows } = await learned(model, await played(model));
    expect(record.metrics).toMatchObject({ staleShare: 0 });
    expect(record.metrics["ratioSpread"]).toBeLessThan(1e-5);
    const byPlain = await stepped(
      plain,
      rows,
      byHand(() => 1),
    );
    // The first step of Adam is almost the sign of a gradient, so that a rounding shows where a gradient is next to nothing.
    expect(distance(model.weights.flat, byPlain) / distance(start, byPlain)).toBeLessThan(1e-3);
    expect(record.notices).toEqual([]);
  } finally {
    await model.close();
    await plain.close();
  }
});

test("the plain gradient as a chosen objective weighs older tokens by their ratio", async () => {
  const [model, ratios] = [await smallModel(), await smallModel()];
  try {
    const episodes = await played(model);
    for (const each of [model, ratios]) await learned(each, episodes);
    const { rows } = await learned(model, episodes, { objective: "policy-gradient" });
    expect(farthest(model.weights.flat, await stepped(ratios, rows, byHand(Math.exp)))).toBeLessThan(CLOSE);
  } finally {
    await model.close();
    await ratios.close();
  }
});

// HolderPO clips one ratio of a whole episode, which one step does not bring that far.
test.each([
  ["ctpo", true],
  ["gspo", true],
  ["holderpo", false],
])("%s moves ratios by its own defaults", async (objective, clips) => {
  const model = await smallModel();
  try {
    const { record, settings } = await learned(model, await played(model), { objective });
    expect(settings.miniBatches).toBeGreaterThan(1);
    expect(record.metrics["ratioSpread"]).toBeGreaterThan(1e-3);
    expect((record.metrics["clipFraction"] ?? 0) > 0).toBe(clips);
    expect(record.notices).toEqual([]);
  } finally {
    await model.close();
  }
});

test("metrics of a loss are means over the steps of an update, as the loss is", async () => {
  const model = await smallModel();
  try {
    const seen: number[] = [];
    const backward = model.backward.bind(model);
    const watched = Object.assign(model, {
      backward: async (...given: Parameters<LocalModel["backward"]>) => {
        const report = await backward(...given);
        seen.push(report.metrics["policy/ratioSpread"] ?? Number.NaN);
        return report;
      },
    });
    const { record } = await learned(watched, await played(model), { objective: "ctpo" });
    const [first, ...others] = seen;
    expect(others.some((value) => value !== first)).toBe(true);
    const sum = seen.reduce((total, value) => total + value, 0);
    expect(record.metrics["loss/policy/ratioSpread"]).toBeCloseTo(sum / seen.length, 12);
  } finally {
    await model.close();
  }
});

test("a loss that lives on ratios says so when none has moved", async () => {
  const model = await smallModel();
  try {
    const once = { objective: "ctpo", epochs: 1, miniBatches: 1 };
    const { record } = await learned(model, await played(model), once);
    expect(record.metrics["ratioSpread"]).toBeLessThan(1e-5);
    expect(record.notices).toEqual([
      "ctpo lives on ratios, and none has left 1: this is the plain policy gradient. Set epochs or miniBatches above 1.",
    ]);
  } finally {
    await model.close();
  }
});

test("a credit method that scales clip ranges has them read", async () => {
  const models = [await smallModel(), await smallModel()] as const;
  try {
    const episodes = await played(models[0]);
    const spreads = [0, 0.9];
    const tried: Opened[] = [];
    for (const [at, model] of models.entries()) {
      tried.push(
        await learned(model, episodes, { "credit.clipSpread": spreads[at] }, { credit: "a2tgpo", learningRate: 0.1 }),
      );
    }
    for (const { record, settings } of tried) {
      expect(settings.miniBatches).toBe(2);
      expect(record.metrics["clipFraction"]).toBeGreaterThan(0);
    }
    // The same advantages and other clip ranges.
    const scales = tried.map(({ record }) => record.credited?.result.clipScales?.some((scale) => scale !== 1));
    expect(scales).toEqual([false, true]);
    expect(tried[0]?.record.credited?.result.advantages).toEqual(tried[1]?.record.credited?.result.advantages);
    expect(farthest(models[0].weights.flat, models[1].weights.flat)).toBeGreaterThan(CLOSE);
  } finally {
    for (const model of models) await model.close();
  }
});

test("holderpo's schedule is as long as the training", async () => {
  const model = await smallModel();
  try {
    const episodes = await played(model);
    const exponentAt = async (update: number): Promise<number | undefined> => {
      const { record } = await learned(model, episodes, { objective: "holderpo" }, { update, updates: 8 });
      return record.metrics["loss/policy/exponent"];
    };
    // From 2 before the first to -2 at the last of eight updates: 2 - 4 * update / 8.
    expect([await exponentAt(1), await exponentAt(5), await exponentAt(8)]).toEqual([1.5, -0.5, -2]);
  } finally {
    await model.close();
  }
});

test("vg-grpo: groups whose rewards hardly differ move nothing, where grpo moves as far as ever", async () => {
  const models = [await smallModel(), await smallModel()] as const;
  try {
    const episodes = (await played(models[0])).map((episode) => ({
      ...episode,
      reward: scored(0.001 * (scoreValue(episode.reward) ?? 0)),
    }));
    const norms: number[] = [];
    for (const [at, credit] of ["grpo", "vg-grpo"].entries()) {
      const { record } = await learned(models[at] as LocalModel, episodes, {}, { credit });
      norms.push(record.metrics["gradientNorm"] ?? 0);
    }
    const [whole = 0, gated = 0] = norms;
    // Points differ by a few: variances of about 1e-6, a ten-thousandth of the threshold 0.01.
    expect(gated).toBeGreaterThan(0);
    expect(gated).toBeLessThan(0.01 * whole);
  } finally {
    for (const model of models) await model.close();
  }
});

test("an update that teaches nothing takes no step; momentum would carry the policy on", async () => {
  const model = await smallModel();
  const live = await played(model);
  await learned(model, live);
  const dead = live.map((one) => ({ ...one, reward: scored(1) }));
  const before = model.weights.flat.slice();
  const { record } = await learned(model, dead);
  expect(model.weights.flat).toEqual(before);
  expect(record.metrics).toMatchObject({ idle: 1, loss: 0, gradientNorm: 0 });
  // The divergence from the start is something to learn from.
  await learned(model, dead, { klWeight: 0.1 });
  const kept = model.weights.flat.slice();
  await learned(model, dead, { idleSteps: true });
  expect(model.weights.flat).not.toEqual(kept);
  await model.close();
});
