/**
 * Two agents at a crossing, small enough to count out. In the open nothing can go wrong and rewards differ by how long the
 * ride took, a hundredth; where they meet, the first must go and the second wait. What an agent learns in the open it does
 * at the crossing too, so noise that is blown up to full size is not harmless.
 */
import { expect, test } from "vitest";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { assignCredit } from "./assign.ts";
import type { CreditBatch, CreditMethod } from "./credit.ts";
import { grpo } from "./grpo.ts";
import { vgGrpo } from "./vg-grpo.ts";

type Scene = "open" | "meeting";
/** For each agent what it tends to do anywhere, and in each scene beside. */
type Logits = readonly Record<Scene | "anywhere", number>[];

/** Scenes of an update; few of them are meetings. */
const SCENES = 8;
const MEETINGS = 0.02;
const GROUP = 4;
const UPDATES = 300;
const JITTER = 0.01;

function chanceToGo(logits: Logits, agent: number, scene: Scene): number {
  const own = logits[agent] as Logits[number];
  return 1 / (1 + Math.exp(-own.anywhere - own[scene]));
}

/** The exact chance that the first goes and the second waits. */
const safety = (logits: Logits): number => chanceToGo(logits, 0, "meeting") * (1 - chanceToGo(logits, 1, "meeting"));

interface Ride {
  readonly scene: Scene;
  readonly task: number;
  readonly went: readonly boolean[];
}

function batchOf(rides: readonly Ride[], rng: Rng): CreditBatch {
  const rewardOf = ({ scene, went: [first, second] }: Ride): number =>
    scene === "meeting" && !(first === true && second === false) ? 0 : 1 - JITTER * rng.float();
  return {
    rows: rides.map(({ task }, at) => ({
      task: `${task}`,
      trajectory: `${at}`,
      step: 0,
      valid: true,
      mask: Uint8Array.of(1),
    })),
    trajectories: new Map(rides.map((ride, at) => [`${at}`, { outcome: rewardOf(ride), success: null }])),
  };
}

/** One update; the length of what the open scenes push comes back. */
function update(credit: CreditMethod, logits: Logits, rate: number, rng: Rng): number {
  const scenes = Array.from({ length: SCENES }, (): Scene => (rng.float() < MEETINGS ? "meeting" : "open"));
  const rides = scenes.flatMap((scene, task) => {
    const chances = logits.map((_, agent) => chanceToGo(logits, agent, scene));
    return Array.from({ length: GROUP }, () => ({ scene, task, went: chances.map((chance) => rng.float() < chance) }));
  });
  const { advantages } = assignCredit(credit, batchOf(rides, rng));
  const pushes = logits.map((_, agent) => {
    const push = { open: 0, meeting: 0 };
    for (const [at, { scene, went }] of rides.entries()) {
      const surprise = Number(went[agent]) - chanceToGo(logits, agent, scene);
      push[scene] += ((advantages[at]?.[0] as number) * surprise) / GROUP;
    }
    return push;
  });
  for (const [agent, own] of logits.entries()) {
    const { open, meeting } = pushes[agent] as Record<Scene, number>;
    own.anywhere += rate * (open + meeting);
    own.open += rate * open;
    own.meeting += rate * meeting;
  }
  return Math.hypot(...pushes.map(({ open }) => open));
}

/** How safe the meeting is in the end, and the mean push of the open scenes. */
function train(credit: CreditMethod, rate: number, seed: number) {
  const rng = createRng(`crossing ${seed}`);
  const logits: Logits = [0, 1].map(() => ({ anywhere: 0, open: 0, meeting: 0 }));
  const open = Array.from({ length: UPDATES }, () => update(credit, logits, rate, rng));
  return { end: safety(logits), open: mean(open) };
}

/** From a quarter on; a seed that ends below one half has learned to collide. */
const diverging = (runs: readonly { readonly end: number }[]): number => runs.filter(({ end }) => end < 0.5).length;

test("vg-grpo: scenes below the threshold push next to nothing, and fewer of 20 seeds diverge than with GRPO", () => {
  const runsOf = (credit: CreditMethod, rate: number) =>
    Array.from({ length: 20 }, (_, seed) => train(credit, rate, seed));
  const [plain, gated] = [grpo, vgGrpo].map((credit) => [0.1, 1].map((rate) => runsOf(credit, rate)));
  // Jitter of a hundredth has a variance of 0.01^2 / 12 = 8e-6, a thousandth of the threshold: so is the push.
  for (const { open } of plain?.[0] ?? []) expect(open).toBeGreaterThan(0.4);
  for (const { open } of gated?.[0] ?? []) expect(open).toBeLessThan(0.001);
  expect(plain?.map(diverging)).toEqual([4, 1]);
  expect(gated?.map(diverging)).toEqual([0, 0]);
});
