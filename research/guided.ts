/**
 * GenARM: does a small reward model of tokens lift a larger base? For one seed: the bundled model of household plays, a model
 * with an eighth of its parameters and the same tokens learns to speak as it does, and then pairs of a success and a
 * failure. Played on other tasks: the base alone, the base led by the small model before the pairs (it sharpens, and tells
 * nothing of success), and led by the one after.
 *
 *     npx tsx research/guided.ts --seed 31 --out runs/guided        --quick tries it at its smallest
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { evaluate, rollout, createRng, type Objective } from "limbeck";
import { mean } from "../packages/base/src/base/statistics/summary.ts";
import { shuffle } from "../packages/base/src/base/rng.ts";
import { bundledModel, createModel, loadTokenizer } from "limbeck/local";
import { trainTokenReward } from "limbeck/training";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "21" },
    out: { type: "string", default: "runs/guided" },
    quick: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const size = values.quick
  ? { tasks: 24, group: 4, epochs: 1, test: 3, steps: 10 }
  : { tasks: 56, group: 8, epochs: 4, test: 80, steps: 20 };
const world = { env: "household", envOptions: { dial: "tiny" }, threads: 1, maxSteps: size.steps, seed };

/** Cross-entropy of what was said. */
const imitation: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }, _frozen, rows) => {
    const tokens = rows.reduce((sum, { mask }) => sum + mask.reduce((left, right) => left + right, 0), 0);
    const weights = rows.map(({ mask }) => Float64Array.from(mask, (is) => -is / tokens));
    const loss =
      -logprob.reduce(
        (sum, row, at) => sum + row.reduce((all, value, token) => all + value * (rows[at]?.mask[token] ?? 0), 0),
        0,
      ) / tokens;
    return { loss, weights: { logprob: weights } };
  },
};

const folder = await mkdtemp(join(tmpdir(), "guided-"));
try {
  const started = performance.now();
  const { trajectories, success } = await rollout({
    ...world,
    split: "train",
    offset: 1_000 * seed,
    tasks: size.tasks,
    group: size.group,
  });
  const { files } = await loadTokenizer(bundledModel("household"));
  const small = await createModel(
    {
      form: "qwen3",
      vocabularySize: 1_024,
      hiddenSize: 48,
      layers: 1,
      heads: 3,
      keyValueHeads: 3,
      headSize: 16,
      intermediateSize: 128,
      contextLength: 2_048,
      ropeTheta: 10_000,
      normEpsilon: 1e-6,
      tiedEmbeddings: true,
    },
    { seed, tokenizer: files, threads: 1 },
  );
  const rows = trajectories.flatMap(({ streams: [stream] }) =>
    stream === undefined ? [] : [{ ids: stream.ids, mask: stream.mask }],
  );
  const losses: number[] = [];
  for (let epoch = 0; epoch < size.epochs; epoch += 1) {
    const order = shuffle(rows, createRng(`imitate ${seed} ${epoch}`));
    for (let from = 0; from < order.length; from += 8) {
      losses.push((await small.backward(order.slice(from, from + 8), imitation)).loss);
      await small.step({ learningRate: 0.005 * (1 - (epoch + from / order.length) / size.epochs), clipNorm: 1 });
    }
  }
  const [before, after] = [join(folder, "before"), join(folder, "after")];
  await small.save(before);
  const parameters = small.weights.flat.length;
  await small.close();
  const card = await trainTokenReward({
    model: before,
    out: after,
    trajectories,
    rank: 0,
    perToken: true,
    scale: 4,
    epochs: size.epochs,
    learningRate: 0.002,
    batch: 8,
    seed,
    threads: 1,
  });
  const played: Record<string, number> = {};
  const play = async (name: string, guide?: { readonly folder: string; readonly beta: number }): Promise<void> => {
    const found = await evaluate({
      ...world,
      split: "test",
      tasks: size.test,
      ...(guide === undefined ? {} : { guide }),
    });
    played[name] = found.success ?? Number.NaN;
  };
  await play("base");
  for (const beta of [1, 0.5]) {
    await play(`before ${beta}`, { folder: before, beta });
    await play(`after ${beta}`, { folder: after, beta });
  }
  await mkdir(values.out, { recursive: true });
  const report = {
    seed,
    success,
    episodes: trajectories.length,
    parameters,
    loss: mean(losses.slice(-20)),
    card: { ...card, base: "small" },
    played,
    seconds: Math.round((performance.now() - started) / 1_000),
  };
  await writeFile(join(values.out, `guided-${seed}.json`), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(report)}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
