/**
 * What of a planned reward counts in the sum: gathered at its level, let through by its gate, and normalised, in this
 * order. Stored as the part `counted`, beside the reward itself.
 */
import { deviation, mean } from "limbeck-base/base/statistics/summary";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Reward, Score, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { oneLine } from "./failure-text.ts";
import { readScore } from "./read-scores.ts";

export const LEVELS = ["episode", "segment", "turn", "step"] as const;
export type Level = (typeof LEVELS)[number];

export const NORMALISATIONS = ["group", "batch", "range"] as const;
export type Normalisation = (typeof NORMALISATIONS)[number];

/** Where segments end: after every so many steps, or after a step that this reward pays. */
export type SegmentEnds = { readonly every: number } | { readonly at: string };

/** Another reward that must hold for this one to count. */
export interface Gate {
  /** A reward that stands before it in the plan, or "reward" or "success" of the episode. */
  readonly reward: string;
  /** Default: at least 1, where `most` is not given either. */
  readonly least?: number;
  readonly most?: number;
}

export interface Counting {
  readonly level?: Level;
  readonly segment?: SegmentEnds;
  readonly when?: string | Gate;
  readonly normalise?: Normalisation;
}

/** What is stored beside the reward itself. */
export function countedName(name: string, { level = "episode", when, normalise }: Counting): string {
  const asItIs = (level === "episode" || level === "step") && when === undefined && normalise === undefined;
  return asItIs ? name : `${name}.counted`;
}

export function gateOf(when: string | Gate): Gate {
  const gate = typeof when === "string" ? { reward: when } : when;
  return gate.least === undefined && gate.most === undefined ? { ...gate, least: 1 } : gate;
}

/** One score that counts, of the trajectory or of the step where it is booked. */
interface Booked {
  readonly at: number;
  readonly step: number | undefined;
  readonly score: Score;
}

/** The part `counted` of each trajectory; the batch is as it is after the reward was given. */
export function countedRewards(batch: readonly Trajectory[], name: string, counting: Counting): Reward[][] {
  const { level = "episode", when, normalise } = counting;
  const gathered = batch.flatMap((own, at) =>
    level === "episode"
      ? [{ at, step: undefined, score: readScore(own, name) }]
      : stretches(own, level, counting.segment).flatMap((steps) => booked(own, at, name, steps)),
  );
  const passed = when === undefined ? gathered : gathered.map((one) => gated(batch, one, gateOf(when)));
  const counted = normalise === undefined ? passed : normalised(batch, passed, normalise);
  const lists = batch.map((): Reward[] => []);
  for (const { at, step, score } of counted) {
    const place = step === undefined ? {} : { step };
    lists[at]?.push({ name: countedName(name, counting), source: "reward:plan", score, ...place });
  }
  return lists;
}

/** The runs of own steps that are judged as one. */
function stretches({ steps, rewards }: Trajectory, level: Exclude<Level, "episode">, ends?: SegmentEnds): Step[][] {
  const found: Step[][] = [];
  const at = ends !== undefined && "at" in ends ? ends.at : "reward";
  let open = false;
  for (const [place, step] of steps.entries()) {
    const continues = open && !(level === "turn" && beginsTurn(step));
    if (continues) found.at(-1)?.push(step);
    else found.push([step]);
    if (level === "step") open = false;
    else if (level === "turn") open = step.messages !== undefined;
    else if (ends !== undefined && "every" in ends) open = (place + 1) % ends.every !== 0;
    else open = !isPaid(step, rewards, at);
  }
  return found;
}

/** A turn begins where a person speaks; where the speakers are unknown, every step is one. */
function beginsTurn({ messages }: Step): boolean {
  return messages === undefined || messages.some(({ role }) => role === "user");
}

function isPaid(step: Step, rewards: readonly Reward[], name: string): boolean {
  const score = name === "reward" ? step.reward : stepScore(rewards, name, step.index);
  return score?.kind === "scored" && score.value > 0;
}

function stepScore(rewards: readonly Reward[], name: string, index: number): Score | undefined {
  return rewards.findLast((one) => one.name === name && one.step === index && one.tokens === undefined)?.score;
}

/** The sum of a stretch is booked on its last step, and the others have nothing. */
function booked({ rewards }: Trajectory, at: number, name: string, steps: readonly Step[]): Booked[] {
  let total: Score = scored(0);
  for (const { index } of steps) {
    const score = stepScore(rewards, name, index) ?? unscored(`step ${index} has no reward "${name}"`);
    if (total.kind === "scored") total = score.kind === "scored" ? scored(total.value + score.value) : score;
  }
  return steps.map(({ index }, place) => ({
    at,
    step: index,
    score: place === steps.length - 1 || total.kind === "unscored" ? total : scored(0),
  }));
}

/** What does not pass counts 0; where the gate has no score, it is unscored. */
function gated(batch: readonly Trajectory[], one: Booked, { reward, least, most }: Gate): Booked {
  const own = batch[one.at] as Trajectory;
  const ofStep = one.step === undefined ? undefined : stepScore(own.rewards, reward, one.step);
  const gate = ofStep ?? readScore(own, reward);
  if (gate.kind === "unscored") {
    return { ...one, score: unscored(`its gate "${reward}" has no score: ${oneLine(gate.why)}`) };
  }
  const holds = gate.value >= (least ?? Number.NEGATIVE_INFINITY) && gate.value <= (most ?? Number.POSITIVE_INFINITY);
  return holds ? one : { ...one, score: scored(0) };
}

/** Where all are equal each counts 0. */
function normalised(batch: readonly Trajectory[], all: readonly Booked[], by: Normalisation): Booked[] {
  const keyOf = ({ at }: Booked): string => (by === "group" ? (batch[at] as Trajectory).group : "");
  const values = new Map<string, number[]>();
  for (const one of all) {
    if (one.score.kind !== "scored") continue;
    const known = values.get(keyOf(one));
    if (known === undefined) values.set(keyOf(one), [one.score.value]);
    else known.push(one.score.value);
  }
  const scales = new Map([...values].map(([key, own]) => [key, by === "range" ? rangeOf(own) : spreadOf(own)]));
  return all.map((one) => {
    if (one.score.kind !== "scored") return one;
    const { from, size } = scales.get(keyOf(one)) as Scale;
    return { ...one, score: scored(size > 1e-12 ? (one.score.value - from) / size : 0) };
  });
}

interface Scale {
  readonly from: number;
  readonly size: number;
}

function spreadOf(values: readonly number[]): Scale {
  return { from: mean(values), size: deviation(values) };
}

function rangeOf(values: readonly number[]): Scale {
  const least = values.reduce((low, value) => Math.min(low, value));
  return { from: least, size: values.reduce((high, value) => Math.max(high, value)) - least };
}
