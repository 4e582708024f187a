/**
 * SAPO: four trainings as four processes that share one store. Mixed: 4 episodes of each task are their own and up to 4
 * those of the others. Alone: 8 of their own. Equal updates, five paired seeds; what counts is the reward of their own
 * episodes, summed over the updates.
 *
 *     npx tsx research/proofs/sapo.ts --jobs 16            16 processes at most: four swarms
 *     npx tsx research/proofs/sapo.ts --quick              two updates, one seed
 *
 * Results lie below --out (runs/proofs/sapo by default), a folder for each arm and seed. A process that was stopped goes on
 * where it was; one that is done is not started again.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { train, createRng } from "limbeck";
import { bootstrap } from "limbeck/eval";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { openStore } from "limbeck/store";
import { scoreValue } from "limbeck/reward";
import { shown } from "../shown.ts";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "4" },
    out: { type: "string", default: "runs/proofs/sapo" },
    seeds: { type: "string", default: "31,32,33,34,35" },
    quick: { type: "boolean", default: false },
    /** arm,seed,node: one process of a swarm. */
    node: { type: "string" },
  },
});

const NODES = 4;
const ARMS = { alone: { own: 8, others: 0 }, mixed: { own: 4, others: 4 } } as const;
type ArmName = keyof typeof ARMS;
const UPDATES = values.quick ? 2 : 24;
/** Every task comes again after four updates, so that what others did of it is not old. */
const TASKS = values.quick ? { tasks: 2, pool: 2 } : { tasks: 8, pool: 32 };

const print = (line = ""): void => void process.stdout.write(`${line}\n`);
const swarmFolder = (arm: ArmName, seed: number): string => join(values.out, `${arm}-${seed}`);
const resultFile = (arm: ArmName, seed: number, node: number): string =>
  join(swarmFolder(arm, seed), `node-${node}.json`);

/** Mean reward of a process's own episodes, by update. */
async function runNode(arm: ArmName, seed: number, node: number): Promise<void> {
  const root = swarmFolder(arm, seed);
  const run = `node-${node}`;
  await train({
    recipe: "grpo",
    env: "countdown",
    envOptions: { level: "easy" },
    strategy: "share",
    seed: seed * 10 + node,
    steps: UPDATES,
    settings: {
      tasks: TASKS.tasks,
      group: 8,
      "tasks.pool": TASKS.pool,
      "tasks.seed": seed,
      strategy: ARMS[arm],
    },
    validation: { every: 0 },
    report: { tasks: 0 },
    dir: join(root, "runs", run),
    resume: true,
    threads: 1,
  });
  const store = openStore(join(root, "runs"));
  const [byUpdate, taken] = [new Map<number, number[]>(), new Set<string>()];
  for await (const { id, info, reward } of store.trajectories({ run })) {
    if (info?.["phase"] !== "train") continue;
    if (info["shared"] !== undefined) taken.add(id);
    else {
      const update = Number(info["update"]);
      byUpdate.set(update, [...(byUpdate.get(update) ?? []), scoreValue(reward) ?? 0]);
    }
  }
  await store.close();
  const rewards = Array.from({ length: UPDATES }, (_, at) => mean(byUpdate.get(at + 1) ?? []));
  await writeFile(resultFile(arm, seed, node), JSON.stringify({ rewards, taken: taken.size }));
}

interface NodeResult {
  readonly rewards: readonly number[];
  readonly taken: number;
}

async function resultOf(arm: ArmName, seed: number, node: number): Promise<NodeResult | undefined> {
  const text = await readFile(resultFile(arm, seed, node), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as NodeResult);
}

/** The four processes of a swarm begin together; one that fails is told and leaves the others alone. */
async function runSwarm(arm: ArmName, seed: number): Promise<void> {
  await mkdir(join(swarmFolder(arm, seed), "runs"), { recursive: true });
  await Promise.all(
    Array.from({ length: NODES }, async (_, node) => {
      if ((await resultOf(arm, seed, node)) !== undefined) return;
      const words = [
        ...process.execArgv,
        import.meta.filename,
        "--node",
        `${arm},${seed},${node}`,
        "--out",
        values.out,
      ];
      const child = spawn(process.execPath, [...words, ...(values.quick ? ["--quick"] : [])], { stdio: "inherit" });
      const [code] = (await once(child, "close")) as [number | null];
      if (code !== 0) print(`${arm}, seed ${seed}, process ${node} ended with ${String(code)}.`);
    }),
  );
}

async function report(seeds: readonly number[]): Promise<void> {
  const rng = createRng("sapo");
  const found = new Map<ArmName, { readonly sums: number[]; readonly taken: number[] }>();
  for (const arm of Object.keys(ARMS) as ArmName[]) {
    const swarms = await Promise.all(
      seeds.map((seed) => Promise.all(Array.from({ length: NODES }, (_, node) => resultOf(arm, seed, node)))),
    );
    const sums = swarms.map((nodes) => mean(nodes.map((one) => one?.rewards.reduce((sum, value) => sum + value, 0) ?? Number.NaN))); // prettier-ignore
    const taken = swarms.map((nodes) => mean(nodes.map((one) => one?.taken ?? Number.NaN)));
    found.set(arm, { sums, taken });
  }
  print(`Countdown, easy, ${UPDATES} updates, ${NODES} processes, seeds ${seeds.join(", ")}.\n`);
  print("| swarm | cumulative reward a process | episodes of others taken |");
  print("| --- | ---: | ---: |");
  for (const [arm, { sums, taken }] of found) {
    const { own, others } = ARMS[arm];
    print(`| ${own}+${others} | ${shown(mean(sums), bootstrap(sums, { rng: rng.split(arm) }), 3)} | ${mean(taken).toFixed(1)} |`); // prettier-ignore
  }
  const [alone, mixed] = [found.get("alone")?.sums ?? [], found.get("mixed")?.sums ?? []];
  const more = mixed.map((sum, at) => sum - (alone[at] ?? Number.NaN));
  print(`\n4+4 over 8+0, paired by seed: ${shown(mean(more), bootstrap(more, { rng: rng.split("more") }), 3)}.`);
  print(`By seed: ${more.map((one) => one.toFixed(3)).join(", ")}.`);
}

if (values.node === undefined) {
  const seeds = values.quick ? [31] : values.seeds.split(",").map(Number);
  const waiting = seeds.flatMap((seed) => (Object.keys(ARMS) as ArmName[]).map((arm) => ({ arm, seed })));
  const lanes = Math.max(1, Math.floor(Number(values.jobs) / NODES));
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runSwarm(next.arm, next.seed);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await report(seeds);
} else {
  const [arm = "", seed = "", node = ""] = values.node.split(",");
  await runNode(arm as ArmName, Number(seed), Number(node));
}
