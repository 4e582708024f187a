/**
 * HyperEyes' TRACE with a learner that begins with nothing: cards of research/new-worlds, a table of choices by how many of the
 * cards that are asked for have not been seen. Arms: the reward as published, the outcome alone, and the same rewards dealt
 * among the right episodes of a group by lot, so that they do not follow the rounds.
 *
 *     npx tsx research/proofs/rounds.ts                  seeds 531 to 535
 *     npx tsx research/proofs/rounds.ts --seeds 1,2,3
 */
import { parseArgs } from "node:util";
import { createRng, shuffle, type Rng } from "../../packages/base/src/base/rng.ts";
import { tInterval } from "../../packages/base/src/base/statistics/student-t.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { assignCredit } from "../../packages/core/src/credit/assign.ts";
import { grpo } from "../../packages/core/src/credit/grpo.ts";
import { giveRewards } from "../../packages/core/src/reward/give-rewards.ts";
import type { References } from "../../packages/core/src/reward/reward.ts";
import { trace } from "../../packages/core/src/reward/trace.ts";
import { cards } from "./graded/own-worlds.ts";

const { values } = parseArgs({ options: { seeds: { type: "string", default: "531,532,533,534,535" } } });
const seeds = values.seeds.split(",").map(Number);
const UPDATES = 48;
const TASKS = 8;
const GROUP = 8;
/** Tasks that come back, so that references tighten. */
const POOL = 64;
const RATE = 0.3;
const HELD_OUT = 200;
const ARMS = ["trace", "outcome", "by lot"] as const;
type Arm = (typeof ARMS)[number];

/** Look at one, two or three of the cards that are left, at one that is not asked for, or say the numbers. */
const CHOICES = ["1", "2", "3", "another", "say"] as const;
/** Logits by cards that are left. */
type Table = readonly number[][];

interface Played {
  readonly trajectory: Trajectory;
  readonly choices: readonly { readonly left: number; readonly choice: number }[];
}

const chancesOf = (logits: readonly number[]): number[] => {
  const powers = logits.map((one) => Math.exp(one - Math.max(...logits)));
  return powers.map((power) => power / powers.reduce((sum, one) => sum + one, 0));
};

function drawn(chances: readonly number[], rng: Rng): number {
  let rest = rng.float();
  const at = chances.findIndex((chance) => (rest -= chance) < 0);
  return at < 0 ? chances.length - 1 : at;
}

async function play(table: Table, task: Task, name: string, rng: Rng): Promise<Played> {
  const episode = await cards.env.open(task);
  const asked = (/on (.*)\?/.exec(task.goal)?.[1] ?? "").split(" ");
  const seen = new Map<string, string>();
  const choices: { left: number; choice: number }[] = [];
  while (episode.ending === undefined) {
    const left = asked.filter((card) => !seen.has(card));
    const choice = drawn(chancesOf(table[left.length] as number[]), rng);
    choices.push({ left: left.length, choice });
    await episode.step(wordsOf(choice, asked, left, seen, rng));
    for (const [, card = "", number = ""] of episode.observation.matchAll(/\b([A-H]) (\d)/g)) seen.set(card, number);
  }
  const { success, ending } = episode;
  const blank = { observation: "", stateKey: "", action: "", valid: true, reward: scored(0) };
  const trajectory: Trajectory = {
    id: name,
    task,
    group: task.id,
    steps: choices.map((_, index) => ({ ...blank, index })),
    streams: [],
    ending: ending ?? "terminated",
    reward: scored(1),
    success,
    rewards: [],
    policy: { name: "table" },
  };
  return { trajectory, choices };
}

function wordsOf(
  choice: number,
  asked: readonly string[],
  left: readonly string[],
  seen: ReadonlyMap<string, string>,
  rng: Rng,
): string {
  const name = CHOICES[choice];
  // What was not seen is guessed.
  if (name === "say") return `say ${asked.map((card) => seen.get(card) ?? rng.int(10)).join(" ")}`;
  const others = shuffle(
    ["A", "B", "C", "D", "E", "F", "G", "H"].filter((card) => !asked.includes(card)),
    rng,
  );
  return `look ${(name === "another" ? others.slice(0, 1) : [...left, ...others].slice(0, Number(name))).join(" ")}`;
}

/** What each episode is worth, and the references after it. */
function worth(arm: Arm, batch: readonly Trajectory[], references: References, rng: Rng) {
  if (arm === "outcome") return { scores: batch.map(({ success }) => Number(success)), references };
  const given = giveRewards(trace, batch, { givens: { references } });
  const scores = given.rewards.map(([reward]) => (reward?.score.kind === "scored" ? reward.score.value : 0));
  const after = given.references ?? references;
  if (arm === "trace") return { scores, references: after };
  for (const group of new Set(batch.map((one) => one.group))) {
    const right = [...batch.keys()].filter((at) => batch[at]?.group === group && batch[at]?.success === true);
    const dealt = shuffle(
      right.map((at) => scores[at] as number),
      rng,
    );
    for (const [place, at] of right.entries()) scores[at] = dealt[place] as number;
  }
  return { scores, references: after };
}

async function learn(arm: Arm, seed: number) {
  const rng = createRng(`rounds ${seed}`);
  const lots = createRng(`lots ${seed}`);
  const table: Table = Array.from({ length: 4 }, () => CHOICES.map(() => 0));
  const offset = POOL * (seed % 100);
  const pool = await listOf("train", offset, POOL);
  let references: References = new Map();
  for (let update = 0; update < UPDATES; update += 1) {
    const played: Played[] = [];
    for (const task of shuffle(pool, rng).slice(0, TASKS)) {
      for (let at = 0; at < GROUP; at += 1) played.push(await play(table, task, `${task.id} ${at}`, rng));
    }
    const given = worth(
      arm,
      played.map(({ trajectory }) => trajectory),
      references,
      lots,
    );
    references = given.references;
    improve(table, played, given.scores);
  }
  const tests: Played[] = [];
  for (const task of await listOf("test", HELD_OUT * (seed % 50), HELD_OUT))
    tests.push(await play(table, task, task.id, rng));
  const rounds = (some: readonly Played[]): number => mean(some.map(({ choices }) => choices.length));
  return { success: mean(tests.map(({ trajectory }) => Number(trajectory.success))), rounds: rounds(tests) };
}

function improve(table: Table, played: readonly Played[], scores: readonly number[]): void {
  const rows = played.flatMap(({ trajectory, choices }) =>
    choices.map((_, step) => ({
      task: trajectory.group,
      trajectory: trajectory.id,
      step,
      valid: true,
      mask: Uint8Array.of(1),
    })),
  );
  const trajectories = new Map(
    played.map(({ trajectory }, at) => [trajectory.id, { outcome: scores[at] as number, success: null }]),
  );
  const { advantages } = assignCredit(grpo, { rows, trajectories });
  const slopes = table.map((logits) => logits.map(() => 0));
  for (const [row, { left, choice }] of played.flatMap(({ choices }) => choices).entries()) {
    const advantage = advantages[row]?.[0] as number;
    const chances = chancesOf(table[left] as number[]);
    slopes[left] = (slopes[left] as number[]).map(
      (slope, at) => slope + (advantage * (Number(at === choice) - (chances[at] as number))) / TASKS,
    );
  }
  for (const [left, logits] of table.entries()) {
    const own = slopes[left] as number[];
    logits.splice(0, logits.length, ...logits.map((logit, at) => logit + RATE * (own[at] as number)));
  }
}

async function listOf(split: string, offset: number, count: number): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of cards.env.tasks(split, { offset, count })) tasks.push(task);
  return tasks;
}

type Ends = Readonly<Record<Arm, Awaited<ReturnType<typeof learn>>>>;
const runs: Ends[] = [];
for (const seed of seeds) {
  const own = await Promise.all(ARMS.map(async (arm) => [arm, await learn(arm, seed)] as const));
  runs.push(Object.fromEntries(own) as Ends);
}

function row(title: string, figures: readonly number[]): void {
  const { mean: centre, low, high } = tInterval(figures);
  const bySeed = figures.map((one) => one.toFixed(3)).join(", ");
  const line = `| ${title} | ${centre.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}] | ${bySeed} |\n`;
  process.stdout.write(line.replaceAll("-", "−"));
}

process.stdout.write(`${seeds.length} seeds: ${seeds.join(", ")}\n\n| | mean | by seed |\n| --- | --- | --- |\n`);
for (const what of ["rounds", "success"] as const) {
  const of = (arm: Arm): number[] => runs.map((one) => one[arm][what]);
  for (const arm of ARMS) row(`${what}, ${arm}`, of(arm));
  for (const arm of ["outcome", "by lot"] as const) {
    const differences = runs.map((one) => one.trace[what] - one[arm][what]);
    row(`${what}, trace less ${arm}`, differences);
  }
}
