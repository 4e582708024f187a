/** DOTS: is the difficulty that `replay` expects of new tasks the one that their rollouts then show? */
import { rollout, createRng, type Trajectory } from "limbeck";
import { bootstrap } from "limbeck/eval";
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { createStrategy } from "limbeck/search";
import { shown } from "../shown.ts";
import { createNoisyAgent } from "./noisy-agent.ts";
import type { Study } from "./study.ts";

/** The scripted policy is quick, the model is the one that trainings begin with. */
const POLICIES = {
  "expert with noise 0.65": { dial: "small", seeds: 20, known: 64, asked: 64, size: 16 },
  "bundled model": { dial: "tiny", seeds: 5, known: 32, asked: 32, size: 8 },
} as const;

type PolicyName = keyof typeof POLICIES;

/** The same words name the same family, so what is asked for are tasks that were never rolled out. */
async function correlationOf(name: PolicyName, seed: number): Promise<number> {
  const { dial, known, asked, size } = POLICIES[name];
  // All tasks are rolled out and nothing is given again: what is looked at is the expectation.
  const strategy = createStrategy("replay", { size, fresh: 1, buffer: 0 });
  const policy = name === "bundled model" ? "bundled" : createNoisyAgent({ noise: 0.65 });
  const world = { env: "household", envOptions: { dial }, policy, strategy } as const;
  const offset = 300_000 + seed * (known + asked);
  await rollout({ ...world, tasks: known, offset, seed, prefix: "known/" });
  const { trajectories } = await rollout({ ...world, tasks: asked, offset: offset + known, seed, prefix: "asked/" });
  const groups = [...groupedBy(trajectories, ({ group }: Trajectory) => group).values()];
  return pearson(
    groups.map(([first]) => Number(first?.info?.["expectedSuccess"])),
    groups.map((own) => mean(own.map(({ success }) => Number(success === true)))),
  );
}

function pearson(left: readonly number[], right: readonly number[]): number {
  const [x, y] = [mean(left), mean(right)];
  const sum = (of: (at: number) => number): number => left.reduce((total, _, at) => total + of(at), 0);
  const [across, down] = [(at: number) => (left[at] ?? 0) - x, (at: number) => (right[at] ?? 0) - y];
  const spread = Math.sqrt(sum((at) => across(at) ** 2) * sum((at) => down(at) ** 2));
  // The same expectation for all tasks tells nothing about any.
  return spread === 0 ? 0 : sum((at) => across(at) * down(at)) / spread;
}

async function study(print: (line: string) => void, words: readonly string[] = []): Promise<void> {
  const names = (Object.keys(POLICIES) as PolicyName[]).filter((_, at) => !words.includes("--quick") || at === 0);
  print(
    "| policy | dial | seeds | tasks known, asked | episodes a task | correlation of expected and measured success |",
  );
  print("| --- | --- | ---: | ---: | ---: | ---: |");
  for (const name of names) {
    const { dial, seeds, known, asked, size } = POLICIES[name];
    const found: number[] = [];
    for (let seed = 0; seed < seeds; seed += 1) found.push(await correlationOf(name, seed));
    const interval = bootstrap(found, { rng: createRng(`difficulty ${name}`) });
    print(`| ${name} | ${dial} | ${seeds} | ${known}, ${asked} | ${size} | ${shown(mean(found), interval, 3)} |`);
  }
  print("");
}

export const difficulty: Study = { name: "difficulty", title: "Rollout strategies: expected difficulty", run: study };
