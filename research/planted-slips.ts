/**
 * Scorers of steps on errors that are known exactly. Actions are shown, not sampled; tokens are the household model's.
 *
 *     npx tsx research/planted-slips.ts --row scope --seed 1 --out DIR [--quick]     the first error of an errand
 *     npx tsx research/planted-slips.ts --row ledger --seed 1 --out DIR [--quick]    the best of eight days of bookings
 *
 * scope: household errands by the expert with one slip, an accepted command that it would not give; a scorer of steps says
 * which was the first wrong one. Right is the slip's own step.
 * ledger: eight tries of a day by the careless bookkeeper; a scorer trained on other days chooses one, and so does
 * household's, which knows nothing of bookings.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rollout } from "limbeck";
import { mean } from "limbeck/base";
import { getWorld, type Demonstrator } from "limbeck/env";
import { bundledModel, openModel } from "limbeck/policy/local";
import { openScorer, trainScorer } from "limbeck/training";
import { scored, type Trajectory } from "limbeck/trajectory";

const { values } = parseArgs({
  options: {
    row: { type: "string", default: "scope" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/planted-slips" },
    quick: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);

type Strategy = Exclude<NonNullable<Parameters<typeof rollout>[0]>["strategy"], string | undefined>;

/** Plays what the demonstrator says; with `slips` one step of each episode is another accepted command. */
function shown(demonstrator: Demonstrator, size: number, slips: boolean): Strategy {
  return {
    run: async (scope) => {
      await scope.each(scope.tasks, async (own, task) => {
        await own.each(
          Array.from({ length: size }, (_, member) => member),
          async (inner, member) => {
            const walk = await inner.open(task, member);
            if (walk === undefined) return;
            const rng = inner.rng.split("shown");
            const demonstration = demonstrator.start(task, rng.split("demonstrator"));
            const slipAt = slips ? 1 + rng.int(3) : -1;
            let action: string | undefined;
            for (let step = 0; walk.ending === undefined; step += 1) {
              const admissible = walk.admissible() ?? [];
              let next: string;
              try {
                next = demonstration.next({ action, observation: walk.observation, admissible });
              } catch {
                await walk.stop("shown");
                break;
              }
              const wanted = next;
              const others = admissible.filter((one) => one !== wanted);
              if (step === slipAt && others.length > 0) next = others[rng.int(others.length)] as string;
              if (step === slipAt) walk.note({ slip: { step, action: next } });
              action = next;
              if ((await walk.impose(next, "shown")) === undefined) break;
            }
          },
          { walks: 1 },
        );
      });
    },
  };
}

const slipOf = ({ info }: Trajectory): number | undefined =>
  (info?.["slip"] as { readonly step: number } | undefined)?.step;

async function main(): Promise<void> {
  const ledger = values.row === "ledger";
  const env = ledger ? "ledger" : "household";
  const world = await getWorld(env);
  const demonstrator =
    world.demonstrators?.[ledger ? "careless" : "expert"] ?? Object.values(world.demonstrators ?? {})[0];
  if (demonstrator === undefined) throw new Error(`${env} has no demonstrator.`);
  const envOptions = ledger ? { level: "small" } : { dial: "tiny" };
  const policy = await openModel(bundledModel("household"), { threads: 1 });
  const size = ledger ? 8 : 4;
  const strategy = shown(demonstrator, size, !ledger);
  const [trainTasks, testTasks] = values.quick ? [6, 3] : ledger ? [100, 60] : [150, 50];
  const play = async (split: string, tasks: number): Promise<readonly Trajectory[]> =>
    (await rollout({ env, envOptions, policy, strategy, split, tasks, offset: seed * tasks, seed: `${split} ${seed}` }))
      .trajectories;
  const [train, test] = [await play("train", trainTasks), await play("test", testTasks)];
  /** Of a slip 0, of every other step 1. */
  const labelled = train.map((one) => ({
    ...one,
    rewards: [
      ...one.rewards,
      ...one.steps.map(({ index }) => ({
        name: "right",
        source: "shown",
        score: scored(index === slipOf(one) ? 0 : 1),
        step: index,
      })),
    ],
  }));
  const folder = join(values.out, `slips-${values.row}-${seed}`);
  await mkdir(folder, { recursive: true });
  const card = await trainScorer({
    model: "bundled:household",
    out: folder,
    trajectories: labelled,
    heldOut: test,
    labels: ledger ? "outcome" : "right",
    epochs: values.quick ? 1 : 6,
    seconds: values.quick ? 5 : 100,
    batch: 16,
    learningRate: 0.004,
    threads: 1,
    seed,
  });
  const own = await openScorer(folder, { threads: 1 });
  const generic = await openScorer("household", { threads: 1 });
  const found: Record<string, unknown> = { row: values.row, seed, train: train.length, test: test.length, card };
  try {
    if (ledger) {
      const by = async (scorer: typeof own): Promise<number[]> => {
        const ends = await scorer.scoreTokens(test.map(({ streams }) => streams[0]?.ids ?? new Int32Array()));
        const tasks = [...new Set(test.map(({ task }) => task.id))];
        return tasks.map((id) => {
          const group = [...test.keys()].filter((at) => test[at]?.task.id === id);
          const most = Math.max(...group.map((at) => ends[at] as number));
          return mean(group.filter((at) => ends[at] === most).map((at) => Number(test[at]?.success)));
        });
      };
      Object.assign(found, { own: await by(own), generic: await by(generic) });
    } else {
      const planted = test.filter((one) => slipOf(one) !== undefined);
      const scores: number[][] = [];
      for (const one of planted) scores.push(await own.scoreSteps(one, one.steps));
      const first = scores.map((steps) => steps.findIndex((chance) => chance < 0.5));
      const lowest = scores.map((steps) => steps.indexOf(Math.min(...steps)));
      Object.assign(found, {
        planted: planted.length,
        slips: planted.map(slipOf),
        first,
        lowest,
        accuracy: mean(planted.map((one, at) => Number(first[at] === slipOf(one)))),
        lowestAccuracy: mean(planted.map((one, at) => Number(lowest[at] === slipOf(one)))),
      });
    }
  } finally {
    await own.close();
    await generic.close();
    await policy.close();
  }
  await writeFile(join(values.out, `slips-${values.row}-${seed}.json`), `${JSON.stringify(found, null, 1)}\n`);
  await rm(folder, { recursive: true, force: true });
}

await main();
