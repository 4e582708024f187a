/**
 * Votes of eight answers, weighted by the bundled scorer (ARRoL at test time), beside a majority and votes weighted by
 * likelihood and the choice of STaR, on the same test tasks of countdown with the same seeds. One seed a run:
 *
 *     npx tsx research/weighted-votes.ts --seed 31 --out DIR [--quick]
 *     npx tsx research/weighted-votes.ts --sum DIR
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { search, openModel } from "limbeck";
import { bundledModel } from "limbeck/local";
import { bundledModels } from "../packages/policy/src/policy/starts.ts";
import { openScorer } from "limbeck/training";
import { toldBySeed } from "./told-by-seed.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/weighted-votes" },
    sum: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});

const TASKS = values.quick ? 4 : 200;
const ARMS = {
  majority: { search: "majority-vote", searchOptions: { n: 8 } },
  likelihood: { search: "confidence-vote", searchOptions: { n: 8, by: "likelihood" } },
  scorer: { search: "confidence-vote", searchOptions: { n: 8, by: "value" } },
  star: { search: "star", searchOptions: { samples: 8 } },
} as const;
type Arm = keyof typeof ARMS;
type Found = Readonly<Record<Arm, number>> & { readonly seed: number };

async function run(seed: number): Promise<void> {
  const env = "countdown";
  const policy = await openModel(bundledModel(env), { threads: 1 });
  const scorer = await openScorer(env, { threads: 1 });
  const place = { env, envOptions: bundledModels[env].worldOptions, policy, split: "test", tasks: TASKS } as const;
  const found: Record<string, number> = { seed };
  for (const [arm, way] of Object.entries(ARMS)) {
    const valued = arm === "scorer" ? { scorer } : {};
    const given = { ...place, ...way, ...valued, offset: 10_000 + seed * TASKS, seesOutcome: false, seed };
    const { outcomes } = await search(given);
    found[arm] = outcomes.filter(({ episode }) => episode.success === true).length / outcomes.length;
    process.stdout.write(`${arm}: ${found[arm]}\n`);
  }
  await policy.close();
  await scorer.close();
  await mkdir(values.out, { recursive: true });
  await writeFile(join(values.out, `votes-${seed}.json`), `${JSON.stringify(found)}\n`);
}

async function sumUp(folder: string): Promise<void> {
  const told = await toldBySeed<Found>(folder, "votes");
  for (const arm of Object.keys(ARMS) as Arm[]) told(arm, (one) => one[arm]);
  told("scorer less majority", (one) => one.scorer - one.majority);
  told("star less majority", (one) => one.star - one.majority);
  told("scorer less likelihood", (one) => one.scorer - one.likelihood);
}

if (values.sum === undefined) await run(Number(values.seed));
else await sumUp(values.sum);
