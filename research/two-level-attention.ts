/**
 * Two-level attention on contexts of real episodes (AsyncTLS): how many keys are scored, how far off its results are from those of all keys,
 * how often a step chooses the blocks of the step before, and what the model then says.
 *
 *     npx tsx research/two-level-attention.ts household tools research
 */
import { rollout, openModel } from "limbeck";
import { bundledModel } from "limbeck/local";
import type { BundledModelName } from "../packages/policy/src/policy/starts.ts";

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const small = process.argv.includes("--quick");
/** The tolerance alone decides, then a share of the keys. */
const LIMITS = [
  { tolerance: 1e-3, most: 1, from: 256 },
  { tolerance: 1e-2, most: 1, from: 256 },
  { tolerance: 1e-3, most: 0.5, from: 256 },
  { tolerance: 1e-3, most: 0.25, from: 256 },
];

interface Seen {
  readonly query: Float32Array;
  readonly keys: Float32Array;
  readonly values: Float32Array;
  readonly own: { readonly key: Float32Array; readonly value: Float32Array };
  readonly count: number;
  readonly result: Float32Array;
}

/** The largest difference from attention over all keys, in double precision; and that of the quarter of keys that weighs most. */
function errorsOf({ query, keys, values, own, count, result }: Seen): { readonly own: number; readonly best: number } {
  const size = query.length;
  const dot = (of: Float32Array, start: number): number => {
    let sum = 0;
    for (let at = 0; at < size; at += 1) sum += (query[at] as number) * (of[start + at] as number);
    return sum;
  };
  const scores = Float64Array.from({ length: count }, (_, at) => dot(keys, at * size));
  const ownScore = dot(own.key, 0);
  const top = scores.reduce((most, one) => Math.max(most, one), ownScore);
  const weights = scores.map((one) => Math.exp(one - top));
  const ownWeight = Math.exp(ownScore - top);
  const sum = weights.reduce((total, one) => total + one, ownWeight);
  const heaviest = Array.from(weights.keys()).sort(
    (left, right) => (weights[right] as number) - (weights[left] as number),
  );
  const quarter = new Set(heaviest.slice(0, Math.floor(count / 4)));
  const quarterSum = [...quarter].reduce((total, key) => total + (weights[key] as number), ownWeight);
  let [worst, best] = [0, 0];
  for (let at = 0; at < size; at += 1) {
    let value = ownWeight * (own.value[at] as number);
    let few = value;
    for (let key = 0; key < count; key += 1) {
      const part = (weights[key] as number) * (values[key * size + at] as number);
      value += part;
      if (quarter.has(key)) few += part;
    }
    worst = Math.max(worst, Math.abs(value / sum - (result[at] as number)));
    best = Math.max(best, Math.abs(value / sum - few / quarterSum));
  }
  return { own: worst, best };
}

print(
  "| world | tolerance | share | keys scored | error: median | 99% | worst | below 1e-3 | best quarter of keys: median | below 1e-3 | blocks chosen again | tokens as with all keys |",
);
print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const env of process.argv.slice(2).filter((word) => !word.startsWith("--")) as BundledModelName[]) {
  const request = {
    env,
    split: "test",
    tasks: small ? 1 : 4,
    group: 1,
    temperature: 0,
    seed: 4,
    concurrency: 1,
  } as const;
  const whole = await openModel(bundledModel(env), { weights: "int8", threads: 1 });
  const ids = (trajectories: Awaited<ReturnType<typeof rollout>>["trajectories"]): number[][] =>
    trajectories.map(({ streams }) => streams.flatMap((one) => [...one.ids].filter((_, at) => one.mask[at] === 1)));
  const truth = ids((await rollout({ ...request, policy: whole })).trajectories);
  await whole.close();
  for (const limits of LIMITS) {
    const found: ReturnType<typeof errorsOf>[] = [];
    const attention = { ...limits, watch: (seen: Seen) => void found.push(errorsOf(seen)) };
    const model = await openModel(bundledModel(env), { weights: "int8", threads: 1, attention });
    const said = ids((await rollout({ ...request, policy: model })).trajectories);
    const { keys = 0, scored = 0, blocks = 0, again = 0 } = model.decoded.attention ?? {};
    const best = found.map((one) => one.best).toSorted((left, right) => left - right);
    const sorted = found.map((one) => one.own).toSorted((left, right) => left - right);
    const at = (share: number): string =>
      (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toExponential(1);
    const same = said.map((own, episode) => {
      const other = truth[episode] ?? [];
      const first = own.findIndex((id, place) => id !== other[place]);
      return first < 0 ? 1 : first / Math.max(1, other.length);
    });
    const mean = same.reduce((sum, one) => sum + one, 0) / Math.max(1, same.length);
    const below = (of: readonly number[]): string =>
      `${((100 * of.filter((error) => error < 1e-3).length) / Math.max(1, of.length)).toFixed(1)}%`;
    const middle = (best[Math.floor(best.length / 2)] ?? Number.NaN).toExponential(1);
    print(
      `| ${env} | ${limits.tolerance} | ${limits.most} | ${((100 * scored) / Math.max(1, keys)).toFixed(1)}% of ${keys} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${below(sorted)} | ${middle} | ${below(best)} | ${((100 * again) / Math.max(1, blocks)).toFixed(1)}% | ${(100 * mean).toFixed(0)}% |`,
    );
    await model.close();
  }
}
