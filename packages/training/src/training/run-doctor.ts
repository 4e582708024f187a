/**
 * The run doctor: it looks at the numbers of every update and says in one line what is wrong and what to try. Each kind of
 * trouble is reported once in a run. Screens against gamed rewards report by themselves (`loop.ts`); they read episodes.
 */
import { mean } from "limbeck-base/base/statistics/summary";
import type { Evaluation } from "limbeck-core/eval/evaluate";
import { byGroup } from "limbeck-base/trajectory/rows";
import { isSeen } from "limbeck-base/trajectory/tally";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { wasStopped, type Dialect } from "limbeck-policy/policy/dialect";
import type { UpdateEvent } from "./events.ts";

/** What the doctor reads of an update. */
export type Vitals = Pick<UpdateEvent, "update" | "success" | "entropy"> & {
  readonly metrics: Readonly<Record<string, number | undefined>>;
};

/** What the doctor remembers; plain JSON, in the checkpoint. */
export interface DoctorState {
  /** The first updates, which later ones are compared with. */
  readonly first: readonly Vitals[];
  /** The newest. */
  readonly last: readonly Vitals[];
  /** The best mean success of `WINDOW` updates in a row, and the last of them. */
  readonly best: { readonly update: number; readonly success: number } | null;
  /** Kinds of trouble that were reported. */
  readonly told: readonly Trouble[];
}

export const TROUBLES = [
  "dead-groups",
  "collapse",
  "entropy-gone",
  "entropy-explodes",
  "ratios",
  "divergence",
  "refused",
  "cut",
] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface Diagnosis {
  readonly trouble: Trouble;
  readonly message: string;
}

/** The settings that the advice is about. */
export interface DoctorSettings {
  readonly answerTokens: number;
  readonly group: number;
  readonly learningRate: number;
}

/** Metrics that only the doctor needs, so that others can see what it went by. */
export const VITAL = { dead: "groups/dead", refused: "actions/refused", cut: "answers/cut" } as const;

export const HEALTHY: DoctorState = { first: [], last: [], best: null, told: [] };

/** A single update proves little: so many in a row must show it. */
const WINDOW = 3;
const DEAD = 0.8;
const COLLAPSED = 0.1;
const LEAST_BEST = 0.1;
const ENTROPY_GONE = 0.1;
const ENTROPY_GROWN = 3;
const SOLVED = 0.95;
const RATIO_SPREAD = 0.5;
const CLIPPED = 0.3;
const DIVERGENCE_NATS = 1;
const REFUSED = 0.5;
const CUT = 0.1;
/** Three of n tasks solved by chance and then none of n: unchanged skill in one case of twenty (e^-3). */
const LEAST_SOLVED = 3;

type Held = Pick<Evaluation, "success" | "solved">;

/** Looks at one more update: what is new about it, and what to remember. */
export function examine(
  before: DoctorState,
  vitals: Vitals,
  settings: DoctorSettings,
): { readonly state: DoctorState; readonly found: readonly Diagnosis[] } {
  const { update, success, entropy } = vitals;
  const metrics = Object.fromEntries(WATCHED.map((name) => [name, vitals.metrics[name]]));
  const kept: Vitals = { update, success, entropy, metrics: definedOf(metrics) };
  const first = before.first.length < WINDOW ? [...before.first, kept] : before.first;
  const last = [...before.last, kept].slice(-WINDOW);
  const found =
    last.length < WINDOW
      ? []
      : RULES.flatMap(([trouble, look]) => {
          if (before.told.includes(trouble)) return [];
          const message = look({ first, last, best: before.best }, settings);
          return message === undefined ? [] : [{ trouble, message }];
        });
  const now = last.length < WINDOW ? Number.NaN : mean(last.map((one) => one.success));
  const isBest = now > (before.best?.success ?? -1);
  const told = [...before.told, ...found.map(({ trouble }) => trouble)];
  return { state: { first, last, best: isBest ? { update, success: now } : before.best, told }, found };
}

const [KL, SPREAD, CLIP] = ["loss/kl/kl", "ratioSpread", "clipFraction"] as const;
const WATCHED = [...Object.values(VITAL), KL, SPREAD, CLIP];

function definedOf(metrics: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(metrics).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}

type Seen = Pick<DoctorState, "first" | "last" | "best">;
type Rule = readonly [Trouble, (seen: Seen, settings: DoctorSettings) => string | undefined];

const meanOf = (rows: readonly Vitals[], name: string): number =>
  mean(rows.flatMap(({ metrics }) => metrics[name] ?? []));
const percent = (share: number): string => `${Math.round(100 * share)}%`;

const RULES: readonly Rule[] = [
  [
    "collapse",
    ({ last, best }, { learningRate }) => {
      const now = mean(last.map(({ success }) => success));
      if (best === null || best.success < LEAST_BEST || now > COLLAPSED * best.success) return undefined;
      return `The training has collapsed: success of the last ${WINDOW} updates is ${now.toFixed(2)}, and was ${best.success.toFixed(2)} up to update ${best.update}. Try --set learningRate=${short(learningRate / 3)}, --set klWeight=0.01 or --set clipNorm=0.5.`;
    },
  ],
  [
    "dead-groups",
    ({ last }, { group }) => {
      const dead = meanOf(last, VITAL.dead);
      if (!(dead >= DEAD)) return undefined;
      const success = mean(last.map((one) => one.success));
      const what =
        success >= 0.5
          ? "The tasks are too easy for the policy: try harder ones (--env-set)"
          : "The tasks are too hard for the policy: try easier ones (--env-set), a reward in between (--reward), a start that succeeds now and then (limbeck sft), or --recipe grpo --preset hard";
      return `In ${percent(dead)} of the groups all episodes earn the same, so there is nothing to learn from. ${what}, or --set group=${2 * group}.`;
    },
  ],
  [
    "entropy-gone",
    ({ first, last }) => {
      const [then, now] = [mean(first.map(({ entropy }) => entropy)), mean(last.map(({ entropy }) => entropy))];
      const success = mean(last.map((one) => one.success));
      // A policy that solves everything may well be sure of itself.
      if (!(now < ENTROPY_GONE * then) || success >= SOLVED) return undefined;
      return `The policy hardly tries anything new: its entropy fell from ${then.toFixed(3)} to ${now.toFixed(3)} nats. Try --set entropyWeight=0.001, --set clipHigh=0.28 or a lower learningRate.`;
    },
  ],
  [
    "entropy-explodes",
    ({ first, last }, { learningRate }) => {
      const [then, now] = [mean(first.map(({ entropy }) => entropy)), mean(last.map(({ entropy }) => entropy))];
      if (!(now > ENTROPY_GROWN * then && now > 1)) return undefined;
      return `The answers turn into noise: entropy rose from ${then.toFixed(2)} to ${now.toFixed(2)} nats. Try --set learningRate=${short(learningRate / 3)}, --set klWeight=0.01, or no entropyWeight.`;
    },
  ],
  [
    "ratios",
    ({ last }, { learningRate }) => {
      const [spread, clipped] = [meanOf(last, SPREAD), meanOf(last, CLIP)];
      if (!(spread > RATIO_SPREAD || clipped > CLIPPED)) return undefined;
      const what =
        spread > RATIO_SPREAD
          ? `the log-ratio to the policy that played spreads by ${spread.toFixed(2)}`
          : `${percent(clipped)} of the tokens are clipped`;
      return `The updates go too far: ${what}. Try --set learningRate=${short(learningRate / 3)}, fewer epochs or miniBatches, or a smaller --lag.`;
    },
  ],
  [
    "divergence",
    ({ last }) => {
      const nats = meanOf(last, KL);
      if (!(nats > DIVERGENCE_NATS)) return undefined;
      return `The policy has left its start behind: the divergence is ${nats.toFixed(2)} nats a token. Try a larger klWeight or a lower learningRate.`;
    },
  ],
  [
    "refused",
    ({ last }) => {
      const refused = meanOf(last, VITAL.refused);
      if (!(refused >= REFUSED)) return undefined;
      return `The world refuses ${percent(refused)} of the actions. Look at some (limbeck show ID); then try --system with the form of an answer, --form tagged, or a start that knows the world (limbeck sft).`;
    },
  ],
  [
    "cut",
    ({ last }, { answerTokens }) => {
      const cut = meanOf(last, VITAL.cut);
      if (!(cut >= CUT)) return undefined;
      return sayCut(cut, answerTokens);
    },
  ],
];

/** At the end, for runs that are too short to see it on the way; undefined where nothing fell, or there are too few tasks. */
export function fallenWords(start: Held, end: Held): string | undefined {
  const [before, after] = [start.success, end.success];
  if (before === null || after === null || before < LEAST_BEST || after > COLLAPSED * before) return undefined;
  if (start.solved < LEAST_SOLVED) return undefined;
  return `The training has collapsed: held-out success was ${before.toFixed(2)} before it and is ${after.toFixed(2)} now. Try a lower learningRate, --set klWeight=0.01 or --set clipNorm=0.5.`;
}

/** Before the first update: answers that do not fit cost a whole training. */
export function cutWords(
  { cut, answers }: { readonly cut: number; readonly answers: number },
  { answerTokens }: Pick<DoctorSettings, "answerTokens">,
): string | undefined {
  return answers === 0 || cut < CUT * answers ? undefined : sayCut(cut / answers, answerTokens);
}

function sayCut(share: number, answerTokens: number): string {
  return `${percent(share)} of the answers were cut at ${answerTokens} tokens, before they ended by themselves. Try --set answerTokens=${2 * answerTokens}, --stop TEXT, or --thinking off for a model that thinks.`;
}

function short(value: number): string {
  return String(Number(value.toPrecision(1)));
}

/** What the doctor wants to know of the episodes of an update. */
export function vitalMetrics(episodes: readonly Trajectory[], dialect: Pick<Dialect, "stop">): Record<string, number> {
  const groups = byGroup(episodes)
    .map(({ trajectories }) => trajectories.filter(isSeen))
    .map((group) => group.flatMap(({ reward }) => (reward.kind === "scored" ? [reward.value] : [])))
    .filter(({ length }) => length > 1);
  const dead = groups.filter((rewards) => rewards.every((reward) => reward === rewards[0])).length;
  const steps = episodes.flatMap((episode) => episode.steps);
  const { cut, answers } = countCut(episodes, dialect);
  return {
    ...(groups.length === 0 ? {} : { [VITAL.dead]: dead / groups.length }),
    ...(steps.length === 0 ? {} : { [VITAL.refused]: steps.filter(({ valid }) => !valid).length / steps.length }),
    ...(answers === 0 ? {} : { [VITAL.cut]: cut / answers }),
  };
}

/** Answers of these episodes, and how many of them did not end by themselves. */
export function countCut(
  episodes: readonly Trajectory[],
  dialect: Pick<Dialect, "stop">,
): { readonly cut: number; readonly answers: number } {
  let [cut, answers] = [0, 0];
  for (const { steps, streams } of episodes) {
    for (const { span } of steps) {
      const stream = span === undefined ? undefined : streams[span.stream];
      if (span === undefined || stream === undefined || span.end <= span.start) continue;
      answers += 1;
      if (!wasStopped(stream.ids.subarray(span.start, span.end), dialect)) cut += 1;
    }
  }
  return { cut, answers };
}
