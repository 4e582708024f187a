import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { tinyConfig, tinyForms, tinyWeights } from "../../../../../test/support/tiny-model.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import type { Objective, TrainRow } from "../objective.ts";
import type { Packing } from "./batches.ts";
import { createLocalPolicy, type LocalPolicy } from "./local-policy.ts";
import { createWeights } from "./weights.ts";

const open = new Map<string, LocalPolicy>();
afterAll(async () => void (await Promise.all([...open.values()].map((policy) => policy.close()))));

function policy(packing: Packing, form: keyof typeof tinyForms = "qwen3"): LocalPolicy {
  const known = open.get(`${packing} ${form}`);
  if (known !== undefined) return known;
  const config = tinyForms[form];
  const weights = createWeights(config);
  for (const [name, values] of Object.entries(tinyWeights(config))) weights.views[name]?.set(values);
  const made = createLocalPolicy(config, weights, { threads: 1, packing });
  open.set(`${packing} ${form}`, made);
  return made;
}

const token = fc.integer({ min: 0, max: tinyConfig.vocabularySize - 1 });
const tokens = (minLength: number, maxLength: number): fc.Arbitrary<number[]> =>
  fc.array(token, { minLength, maxLength });

/** Rows that share beginnings: trees with branches, some of them empty, and rows of their own. */
const forest = fc
  .array(fc.record({ prefix: tokens(1, 60), branches: fc.array(tokens(0, 20), { minLength: 1, maxLength: 5 }) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((trees) => trees.flatMap(({ prefix, branches }) => branches.map((branch) => [...prefix, ...branch])));

const rowsOf = (sequences: readonly number[][], gap: number): TrainRow[] =>
  sequences.map((ids) => ({
    ids: Int32Array.from(ids),
    mask: Uint8Array.from(ids, (_, at) => (at % gap === 0 ? 1 : 0)),
  }));

/** Weights that differ by row and token, and depend on the statistics unless they are constant. */
const objective = (constantWeights: boolean): Objective => ({
  needs: ["logprob", "entropy"],
  constantWeights,
  compute: ({ logprob = [], entropy = [] }, _frozen, rows) => {
    const weigh = (values: readonly Float64Array[], turn: number): Float64Array[] =>
      values.map((row, at) =>
        row.map((value, place) =>
          place === 0 || rows[at]?.mask[place] === 0
            ? 0
            : Math.sin(turn + at * 7 + place) * (constantWeights ? 1 : 1 + Math.tanh(value)),
        ),
      );
    const weights = { logprob: weigh(logprob, 1), entropy: weigh(entropy, 2) };
    const loss = logprob.flatMap((row) => [...row]).reduce((sum, value) => sum + value, 0);
    return { loss, weights };
  },
});

// Windows of 12 and 10 tokens: a branch sees the end of a prefix, which ends elsewhere in every tree.
test.each([
  ["qwen3", tries(8, 25)],
  ["mistral", tries(4, 8)],
  ["gemma3", tries(4, 8)],
] as const)(
  "log-probabilities and gradients of a packed forest equal those of its rows apart: %s",
  async (form, numRuns) => {
    const check = async (sequences: readonly number[][], gap: number, constantWeights: boolean): Promise<void> => {
      const rows = rowsOf(sequences, gap);
      const [packed, flat] = [policy("always", form), policy("never", form)];
      const [left, right] = [await packed.score(rows), await flat.score(rows)];
      left.forEach(({ logprob }, row) =>
        logprob?.forEach((value, at) =>
          expect(Math.abs(value - (right[row]?.logprob?.[at] as number))).toBeLessThan(1e-5 * Math.max(1, -value)),
        ),
      );
      const results = [];
      for (const model of [packed, flat]) {
        const { loss } = await model.backward(rows, objective(constantWeights));
        results.push({ loss, gradient: model.core.gradient.slice() });
        model.discard();
      }
      const [tree, apart] = results;
      const size = Math.hypot(...(apart?.gradient ?? []));
      const distance = Math.hypot(
        ...(apart?.gradient.map((value, at) => value - (tree?.gradient[at] as number)) ?? []),
      );
      expect(distance).toBeLessThanOrEqual(1e-4 * size);
      expect(tree?.loss).toBeCloseTo(apart?.loss as number, 3);
    };
    await fc.assert(fc.asyncProperty(forest, fc.integer({ min: 1, max: 3 }), fc.boolean(), check), { numRuns });
  },
);

test("tokens saved are told: a prefix of 64 tokens under four branches is computed once, where that is asked for", async () => {
  const model = policy("always");
  const prefix = Array.from({ length: 64 }, (_, at) => at % 29);
  const rows = rowsOf(
    [0, 1, 2, 3].map((branch) => [...prefix, branch, 5, 6, 7]),
    1,
  );
  // Four rows of 68 tokens; three of them need not read the 64 again.
  const report = await model.backward(rows, objective(true));
  model.discard();
  expect([report.tokens, report.tokensSaved]).toEqual([272, 192]);
  const told: unknown[] = [];
  await model.score(rows, { report: (value) => told.push(value) });
  expect(told).toEqual([{ tokens: 272, tokensSaved: 192 }]);
});

test("candidates and a teacher may differ where the tokens are the same", async () => {
  const prefix = Array.from({ length: 40 }, (_, at) => (at * 3) % 29);
  const rows = [0, 1, 2].map((branch) => {
    const ids = Int32Array.from([...prefix, branch, 1]);
    const candidateIds = Int32Array.from([...ids].flatMap((id) => [(id + branch) % 29, (id + 2 * branch) % 29]));
    const teacher = new Float32Array(ids.length * 29).fill(-Math.log(29) + branch);
    return { ids, candidates: { count: 2, ids: candidateIds }, teacher };
  });
  const statistics = ["candidates", "divergence"] as const;
  const [left, right] = [
    await policy("always").score(rows, { statistics }),
    await policy("never").score(rows, { statistics }),
  ];
  for (const name of statistics) {
    left.forEach((row, at) =>
      row[name]?.forEach((value, place) => expect(value).toBeCloseTo(right[at]?.[name]?.[place] as number, 4)),
    );
  }
});
