/**
 * Sol-RL, the second half: is the contrastive subset as good to learn from as the whole pool, and what does it cost? Equal updates, paired
 * seeds. full: 16 episodes of each task, all learnt from. contrastive: 16 explored in eight bits, 4 played again and learnt from.
 * small: 4 episodes of each task, unchosen.
 *
 *     npx tsx research/proofs/contrastive.ts --jobs 16
 */
import { join } from "node:path";
import { train } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const WORLDS = { household: { dial: "tiny" }, countdown: { level: "easy" } } as const;
const ARMS = Object.keys(WORLDS).flatMap((world) => ["full", "contrastive", "small"].map((way) => `${world}:${way}`));
const UPDATES = { household: 8, countdown: 30 } as const;

interface Result {
  readonly before: number;
  readonly after: number;
  readonly trainedTokens: number;
  /** Tokens that the whole weights sampled, and those of the copy in eight bits. */
  readonly wholeTokens: number;
  readonly roughTokens: number;
  readonly environmentSteps: number;
  readonly collect: number;
  readonly learn: number;
  readonly seconds: number;
  readonly replayedAlike: number;
}

async function run({ arm, seed, quick, dir }: OneRun): Promise<Result> {
  const [world, way] = arm.split(":") as [keyof typeof WORLDS, string];
  const running = train({
    recipe: "grpo",
    env: world,
    envOptions: WORLDS[world],
    strategy: way === "contrastive" ? "contrastive" : "group",
    seed,
    steps: quick ? 1 : UPDATES[world],
    settings: {
      tasks: quick ? 2 : 8,
      group: way === "small" ? 4 : quick ? 6 : 16,
      ...(quick ? { maxSteps: 3 } : {}),
    },
    validation: { every: 0 },
    report: { tasks: quick ? 4 : 200 },
    dir: join(dir, "run"),
    threads: 1,
  });
  const sums = {
    trainedTokens: 0,
    wholeTokens: 0,
    roughTokens: 0,
    environmentSteps: 0,
    collect: 0,
    learn: 0,
    seconds: 0,
  };
  const alike: number[] = [];
  for await (const event of running) {
    if (event.kind !== "update") continue;
    const { metrics, phases, seconds, spent } = event;
    sums.trainedTokens += metrics["trainedTokens"] ?? 0;
    sums.roughTokens += metrics["strategy/exploredTokens"] ?? 0;
    sums.collect += phases.collect;
    sums.learn += phases.learn;
    sums.seconds += seconds;
    sums.environmentSteps = spent.environmentSteps;
    sums.wholeTokens = spent.sampledTokens;
    if (metrics["strategy/replayedAlike"] !== undefined) alike.push(metrics["strategy/replayedAlike"]);
  }
  const { before, after } = await running;
  const replayedAlike = alike.length === 0 ? 0 : mean(alike);
  // Those of the copy are in the account of the training too.
  const wholeTokens = sums.wholeTokens - sums.roughTokens;
  return { before: before.success ?? 0, after: after.success ?? 0, ...sums, wholeTokens, replayedAlike };
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  print(
    "| arm | seeds | before | after | tokens learnt from | whole weights sampled | in eight bits | environment steps | collect s | learn s | seconds | played again alike |",
  );
  print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  const of = (arm: string) => results.filter((one) => one.arm === arm);
  for (const arm of ARMS) {
    const own = of(arm).map(({ result }) => result);
    if (own.length === 0) continue;
    const all = (value: (one: Result) => number, digits = 0): string => mean(own.map(value)).toFixed(digits);
    print(
      `| ${arm} | ${own.length} | ${all((one) => one.before, 3)} | ${all((one) => one.after, 3)} | ${all((one) => one.trainedTokens)} | ${all((one) => one.wholeTokens)} | ${all((one) => one.roughTokens)} | ${all((one) => one.environmentSteps)} | ${all((one) => one.collect, 1)} | ${all((one) => one.learn, 1)} | ${all((one) => one.seconds, 1)} | ${all((one) => one.replayedAlike, 3)} |`,
    );
  }
  print();
  for (const world of Object.keys(WORLDS)) {
    for (const [one, other] of [
      ["contrastive", "full"],
      ["contrastive", "small"],
      ["small", "full"],
    ] as const) {
      const differences = of(`${world}:${one}`).flatMap(({ seed, result }) => {
        const base = of(`${world}:${other}`).find((found) => found.seed === seed)?.result;
        return base === undefined ? [] : [result.after - base.after];
      });
      if (differences.length > 0) print(`- ${world}, success, ${one} minus ${other}: ${differenceWords(differences)}`);
    }
  }
  print();
}

await runStudy<Result>({ name: "contrastive", arms: ARMS, run, report });
