import { afterEach, describe, expect, test } from "vitest";
import { tinyConfig, tinyWeights } from "../../../../../test/support/tiny-model.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Objective, StatisticName, TrainRow } from "../objective.ts";
import { createLocalPolicy, type LocalPolicy } from "./local-policy.ts";
import { headShapes } from "./heads.ts";
import { createWeights } from "./weights.ts";

const open: LocalPolicy[] = [];
// At once, so that the next has their programs.
afterEach(async () => void (await Promise.all(open.splice(0).map((policy) => policy.close()))));

function policy(budgetTokens = 2_048): LocalPolicy {
  const weights = createWeights(tinyConfig, headShapes(tinyConfig, ["value", "quality"]));
  for (const [name, values] of Object.entries(tinyWeights())) weights.views[name]?.set(values);
  weights.views["value_head.weight"]?.fill(0.3);
  weights.views["quality_head.weight"]?.fill(-0.2);
  const made = createLocalPolicy(tinyConfig, weights, { threads: 1, budgetTokens });
  open.push(made);
  return made;
}

function row(length: number, seed: string): TrainRow {
  const rng = createRng(seed);
  const draw = (count: number): Int32Array =>
    Int32Array.from({ length: count }, () => rng.int(tinyConfig.vocabularySize));
  const teacher = Float32Array.from(
    { length: length * tinyConfig.vocabularySize },
    () => -Math.log(tinyConfig.vocabularySize),
  );
  return {
    ids: draw(length),
    mask: new Uint8Array(length).fill(1),
    candidates: { count: 3, ids: draw(length * 3) },
    teacher,
  };
}

test("the value of a token is foretold before the token is known, its quality with it", async () => {
  const one = row(6, "value");
  const other = { ...one, ids: one.ids.map((id, at) => (at === 5 ? (id + 1) % tinyConfig.vocabularySize : id)) };
  const [first, second] = await policy().score([one, other], { statistics: ["value", "quality"] });
  expect(first?.value?.[0]).toBe(0);
  expect(first?.value?.[5]).not.toBe(0);
  expect(second?.value?.[5]).toBeCloseTo(first?.value?.[5] as number, 5);
  expect(Math.abs((second?.quality?.[5] as number) - (first?.quality?.[5] as number))).toBeGreaterThan(1e-3);
});

/** Random weights on every statistic: loss = sum(weight * statistic). */
function linear(needs: readonly StatisticName[], seed: string): Objective {
  return {
    needs,
    compute: (live) => {
      const rng = createRng(seed);
      let loss = 0;
      const weights = Object.fromEntries(
        needs.map((name) => [
          name,
          (live[name] ?? []).map((values) =>
            values.map((value, at) => {
              const skip = name !== "value" && name !== "quality" && at < (name === "candidates" ? 3 : 1);
              const weight = skip ? 0 : rng.normal();
              loss += weight * value;
              return weight;
            }),
          ),
        ]),
      );
      return { loss, weights };
    },
  };
}

const crossEntropy: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }, _frozen, rows) => {
    const count = rows.reduce((total, { mask }) => total + mask.reduce((sum, value) => sum + value, 0), 0);
    const weights = rows.map(({ mask }) => Float64Array.from(mask, (value) => -value / count));
    const loss = logprob.reduce(
      (total, values, at) => total + values.reduce((sum, value, t) => sum + value * (weights[at]?.[t] ?? 0), 0),
      0,
    );
    return { loss, weights: { logprob: weights } };
  },
};

describe("backward", () => {
  test.each(["logprob", "candidates", "entropy", "divergence", "value", "quality"] as const)(
    "the gradient of %s equals differences of the loss",
    async (name) => {
      const model = policy();
      const rows = [row(9, "a"), row(5, "b"), row(14, "c")];
      const objective = linear([name], "weights");
      const { loss } = await model.backward(rows, objective);
      const gradient = model.core.gradient.slice();
      const rng = createRng(name);
      const value = async (): Promise<number> => {
        const result = await model.backward(rows, objective);
        model.discard();
        return result.loss;
      };
      expect(await value()).toBe(loss);
      for (let trial = 0; trial < tries(5, 12); trial += 1) {
        const at = rng.int(model.weights.flat.length);
        const held = model.weights.flat[at] as number;
        const step = 1 / 128;
        model.weights.flat[at] = held + step;
        const up = await value();
        model.weights.flat[at] = held - step;
        const down = await value();
        model.weights.flat[at] = held;
        const slope = (up - down) / (2 * step);
        expect(Math.abs((gradient[at] as number) - slope)).toBeLessThan(0.02 + 0.03 * Math.abs(slope));
      }
    },
  );

  test("micro-batches do not change the result", async () => {
    const rows = Array.from({ length: 9 }, (_, at) => row(3 + at * 5, `row ${at}`));
    const objective = linear(["logprob", "entropy"], "w");
    const [one, many] = [policy(), policy(64)];
    const [left, right] = [await one.backward(rows, objective), await many.backward(rows, objective)];
    expect(right.loss).toBeCloseTo(left.loss, 3);
    one.core.gradient.forEach((value, at) => expect(many.core.gradient[at]).toBeCloseTo(value, 3));
  });
});

describe("step", () => {
  test("one AdamW step by hand: the first step moves every parameter by the learning rate against its gradient's sign", async () => {
    const model = policy();
    const before = model.weights.flat.slice();
    model.core.gradient.fill(0.5);
    model.core.gradient[1] = -2;
    // m = 0.1 g, v = 0.001 g^2; corrected m = g, v = g^2; the move is lr * g / (|g| + eps) = lr * sign(g).
    // Matrices (the first parameters) also shrink by lr * decay = 0.1 * 0.01 = 0.001 of themselves.
    const report = await model.step({ learningRate: 0.1, weightDecay: 0.01 });
    expect(report.step).toBe(1);
    expect(model.weights.flat[0]).toBeCloseTo((before[0] as number) * 0.999 - 0.1, 5);
    expect(model.weights.flat[1]).toBeCloseTo((before[1] as number) * 0.999 + 0.1, 5);
    const last = before.length - 1;
    expect(model.weights.flat[last]).toBeCloseTo((before[last] as number) - 0.1, 5);
  });

  test("clips the global norm, and refuses what is not finite with everything as before", async () => {
    const model = policy();
    model.core.gradient[0] = 3;
    model.core.gradient[1] = 4;
    expect((await model.step({ learningRate: 0, clipNorm: 1 })).gradientNorm).toBe(5);
    // First moment 0.1 * clipped gradient: 3/5 and 4/5.
    expect(model.core.state.first[0]).toBeCloseTo(0.06, 5);
    const before = model.weights.flat.slice();
    model.core.gradient[0] = Number.NaN;
    await expect(model.step({ learningRate: 1 })).rejects.toThrow(/Step 2: the gradient's norm is NaN/);
    expect(model.weights.flat).toEqual(before);
    expect(model.core.state.step).toBe(1);
  });

  test("behaviour cloning: the loss falls, and the policy then says what it was taught", async () => {
    const model = policy();
    const rows = [0, 1].map((at): TrainRow => ({
      ids: Int32Array.of(1 + at, 5, 6, 7 + at, 8, 9),
      mask: Uint8Array.of(0, 1, 1, 1, 1, 1),
    }));
    const losses: number[] = [];
    for (let update = 0; update < 30; update += 1) {
      losses.push((await model.backward(rows, crossEntropy)).loss);
      await model.step({ learningRate: 0.04 });
    }
    expect(losses[0]).toBeGreaterThan(2);
    expect(losses.at(-1)).toBeLessThan(0.1);
    const talk = model.open();
    talk.extend([2]);
    const said = await talk.sample({ maxTokens: 5, temperature: 0 });
    expect([...said.ids]).toEqual([5, 6, 8, 8, 9]);
    expect(said.version).toBe(30);
  });
});

describe("numbers that are none stop before the step, with everything as before", () => {
  const rows: readonly TrainRow[] = [
    { ids: Int32Array.of(1, 2, 3), mask: Uint8Array.of(0, 1, 1) },
    { ids: Int32Array.of(4, 5, 6, 7), mask: Uint8Array.of(0, 0, 1, 1), trajectory: "update 3/task/1" },
  ];

  test.each([true, false])("a log-probability, named by its row and token (constant weights: %s)", async (constant) => {
    const model = policy();
    // Only the second row reads token 5, after which nothing of it is a number.
    const size = tinyConfig.hiddenSize;
    model.weights.views["model.embed_tokens.weight"]?.fill(Number.NaN, 5 * size, 6 * size);
    const before = model.weights.flat.slice();
    const objective = { ...crossEntropy, constantWeights: constant };
    await expect(model.backward(rows, objective)).rejects.toMatchObject({
      code: "statistic-not-finite",
      message: expect.stringMatching(/logprob.* NaN at token \d of row \d/) as string,
    });
    expect(model.core.gradient.every((value) => value === 0)).toBe(true);
    expect(model.weights.flat).toEqual(before);
  });

  test("a loss, named by the first row that has it by itself", async () => {
    const model = policy();
    // Infinity for the second row, whose weights are finite all the same.
    const objective: Objective = {
      needs: ["logprob"],
      compute: ({ logprob = [] }, _, own) => ({
        loss: own.some(({ trajectory }) => trajectory !== undefined) ? Number.POSITIVE_INFINITY : 1,
        weights: { logprob: logprob.map((row) => new Float64Array(row.length)) },
      }),
    };
    await expect(model.backward(rows, objective)).rejects.toMatchObject({
      code: "loss-not-finite",
      message: expect.stringContaining("row 1 (update 3/task/1)") as string,
      details: { row: 1 },
    });
  });

  test("a gradient, named by the first row that has it by itself", async () => {
    const model = policy();
    const before = model.weights.flat.slice();
    // Finite as weights, but past the largest float32 once they are multiplied and summed.
    const objective: Objective = {
      needs: ["logprob"],
      compute: ({ logprob = [] }, _, own) => ({
        loss: 1,
        weights: {
          logprob: logprob.map((row, at) =>
            new Float64Array(row.length).fill(own[at]?.trajectory === undefined ? 1 : 3e38),
          ),
        },
      }),
    };
    await model.backward(rows, objective);
    await expect(model.step({ learningRate: 1, clipNorm: 1 })).rejects.toMatchObject({
      code: "gradient-not-finite",
      message: expect.stringContaining("row 1 (update 3/task/1)") as string,
    });
    expect(model.weights.flat).toEqual(before);
    expect(model.core.gradient.every((value) => value === 0)).toBe(true);
  });

  test("a gradient, named by its tensor", async () => {
    const model = policy();
    await model.backward(rows, crossEntropy);
    const { start } = model.weights.places.get("model.norm.weight") ?? { start: 0 };
    model.core.gradient[start + 2] = Number.POSITIVE_INFINITY;
    const before = model.weights.flat.slice();
    await expect(model.step({ learningRate: 1, clipNorm: 1 })).rejects.toThrow(
      /the gradient's norm is Infinity.*"model.norm.weight" holds Infinity at place 2/,
    );
    expect(model.weights.flat).toEqual(before);
  });

  test("a gradient whose square the moments cannot hold: later steps would be NaN", async () => {
    const model = policy();
    const before = model.weights.flat.slice();
    // 1e20 squared is past the largest float32, 3.4e38; clipped to 1 it is an ordinary step.
    model.core.gradient[0] = 1e20;
    await expect(model.step({ learningRate: 0.1 })).rejects.toMatchObject({ code: "gradient-not-finite" });
    expect(model.weights.flat).toEqual(before);
    expect(model.core.state.second[0]).toBe(0);
    model.core.gradient[0] = 1e20;
    await model.step({ learningRate: 0.1, clipNorm: 1 });
    expect(model.weights.flat.every(Number.isFinite)).toBe(true);
  });
});

describe("a step that destroys the weights is refused, with everything as before", () => {
  const rows = [row(6, "a"), row(5, "b")];

  test.each([
    ["a learning rate past float32", { learningRate: 1e39 }],
    ["a learning rate that fills it", { learningRate: 1e38 }],
    ["weights whose squares are no numbers", { learningRate: 1e20 }],
    ["a decay past float32", { learningRate: 1, weightDecay: 1e39 }],
    ["a decay that adds up", { learningRate: 1e10, weightDecay: 1e12 }],
    ["divided by nothing", { learningRate: 1e-3, epsilon: 1e-50 }],
  ])("%s", async (_, options) => {
    const model = policy();
    await model.backward(rows, crossEntropy);
    await model.step({ learningRate: 1e-3 });
    const { state } = model.core;
    const before = [model.weights.flat, state.first, state.second].map((array) => array.slice());
    const version = model.ref.version;
    await model.backward(rows, crossEntropy);
    // A number that nothing pulls at: 0 / 0 where nothing is added to its root.
    const still = model.weights.flat.length - 1;
    [model.core.gradient, state.first, state.second].forEach((array) => (array[still] = 0));
    before.slice(1).forEach((array) => (array[still] = 0));
    await expect(model.step(options)).rejects.toMatchObject({
      code: "update-not-finite",
      message: expect.stringMatching(/^Step 2 makes a weight .*are as before.*smaller learning rate/) as string,
    });
    expect([model.weights.flat, state.first, state.second]).toEqual(before);
    expect([state.step, model.ref.version]).toEqual([1, version]);
    expect(model.core.gradient.every((value) => value === 0)).toBe(true);
    // It goes on as if nothing had happened.
    await model.backward(rows, crossEntropy);
    expect((await model.step({ learningRate: 1e-3 })).step).toBe(2);
  });
});

test("bad batches and bad objectives are refused by name", async () => {
  const model = policy();
  const good = row(4, "x");
  const returning = (weights: Float64Array[], loss = 0): Objective => ({
    needs: ["logprob"],
    compute: () => ({ loss, weights: { logprob: weights } }),
  });
  await expect(model.backward([], crossEntropy)).rejects.toThrow(/no row to learn from/);
  await expect(model.backward([{ ...good, mask: new Uint8Array(3) }], crossEntropy)).rejects.toThrow(
    "Row 0 has 4 tokens and a mask of 3",
  );
  await expect(model.backward([{ ...good, ids: Int32Array.of(1, 2, 99, 3) }], crossEntropy)).rejects.toThrow(
    "Row 0: token 99 at place 2",
  );
  await expect(model.backward([good], returning([new Float64Array(3)]))).rejects.toThrow(
    'gave 3 weights on "logprob" for row 0, which has 4',
  );
  await expect(model.backward([good], returning([]))).rejects.toThrow("gave 0 rows of weights");
  await expect(model.backward([good], returning([new Float64Array(4).fill(Number.NaN)]))).rejects.toThrow(
    /is NaN at token 0 of row 0/,
  );
  await expect(model.backward([good], returning([new Float64Array(4)], Number.POSITIVE_INFINITY))).rejects.toThrow(
    /the loss Infinity/,
  );
  expect(model.core.gradient.every((value) => value === 0)).toBe(true);
});
