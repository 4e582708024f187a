/**
 * Two agents at a crossing, small enough to count out. In the open nothing can go wrong and rewards differ by how long the
 * ride took, a hundredth; where they meet, the first must go and the second wait. What an agent learns in the open it does
 * at the crossing too, so noise that is blown up to full size is not harmless.
 */
import { createRng, shuffle, type Rng } from "../../packages/base/src/base/rng.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { assignCredit } from "../../packages/core/src/credit/assign.ts";
import type { CreditBatch, CreditMethod } from "../../packages/core/src/credit/credit.ts";
import { grpo } from "../../packages/core/src/credit/grpo.ts";
import { vgGrpo } from "../../packages/core/src/credit/vg-grpo.ts";

type Scene = "open" | "meeting";
/** For each agent what it tends to do anywhere, and in each scene beside. */
type Logits = readonly Record<Scene | "anywhere", number>[];

/** Scenes of an update. */
const SCENES = 8;
const GROUP = 4;
const UPDATES = 300;
const JITTER = 0.01;

/** What the rides of an update are worth, from a batch of them. */
export type Crediting = (batch: CreditBatch, rng: Rng) => readonly number[];

const creditedBy =
  (credit: CreditMethod): Crediting =>
  (batch) =>
    assignCredit(credit, batch).advantages.map((own) => own[0] as number);

/** Each group of GRPO gets the gate of another one, drawn at random: as much push, and not by its own variance. */
const gatesByLot: Crediting = (batch, rng) => {
  const [plain, gated] = [creditedBy(grpo)(batch, rng), creditedBy(vgGrpo)(batch, rng)];
  const groups = Array.from({ length: plain.length / GROUP }, (_, at) => at);
  const gates = groups.map((group) => {
    const at = plain.findIndex((value, ride) => Math.floor(ride / GROUP) === group && value !== 0);
    return at < 0 ? 0 : (gated[at] as number) / (plain[at] as number);
  });
  const drawn = shuffle(gates, rng);
  return plain.map((value, ride) => value * (drawn[Math.floor(ride / GROUP)] as number));
};

export const creditings = { grpo: creditedBy(grpo), "vg-grpo": creditedBy(vgGrpo), "by lot": gatesByLot } as const;

interface Crossing {
  readonly rate: number;
  /** Share of the scenes where the two meet. */
  readonly meetings: number;
  readonly seed: number;
}

/** How safe the meeting is in the end, and the mean push of the open scenes. From a quarter on. */
export function learnCrossing(credit: Crediting, { rate, meetings, seed }: Crossing) {
  const rng = createRng(`crossing ${seed}`);
  const lots = createRng(`lots ${seed}`);
  const logits: Logits = [0, 1].map(() => ({ anywhere: 0, open: 0, meeting: 0 }));
  const open = Array.from({ length: UPDATES }, () => {
    const scenes = Array.from({ length: SCENES }, (): Scene => (rng.float() < meetings ? "meeting" : "open"));
    return update(logits, ridesOf(logits, scenes, rng), rate, (batch) => credit(batch, lots), rng);
  });
  return { end: safety(logits), open: mean(open) };
}

/** A seed that ends below one half has learned to collide. */
export const hasDiverged = ({ end }: { readonly end: number }): boolean => end < 0.5;

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

function ridesOf(logits: Logits, scenes: readonly Scene[], rng: Rng): Ride[] {
  return scenes.flatMap((scene, task) => {
    const chances = logits.map((_, agent) => chanceToGo(logits, agent, scene));
    return Array.from({ length: GROUP }, () => ({ scene, task, went: chances.map((chance) => rng.float() < chance) }));
  });
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
function update(
  logits: Logits,
  rides: readonly Ride[],
  rate: number,
  credit: (batch: CreditBatch) => readonly number[],
  rng: Rng,
): number {
  const advantages = credit(batchOf(rides, rng));
  const pushes = logits.map((_, agent) => {
    const push = { open: 0, meeting: 0 };
    for (const [at, { scene, went }] of rides.entries()) {
      const surprise = Number(went[agent]) - chanceToGo(logits, agent, scene);
      push[scene] += ((advantages[at] as number) * surprise) / GROUP;
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
