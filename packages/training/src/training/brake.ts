/**
 * The brake: it keeps a training from falling below its start unseen. Two signs count where success has not risen: the
 * policy hardly tries anything new (entropy), or it has gone far from its start (divergence). A third needs no other:
 * validation is surely below that of the start. The first sight of one slows the training; where it stays, it ends, with
 * the cause. The best weights are kept apart (`doctor-notices.ts`).
 */
import { mean } from "limbeck-base/base/statistics/summary";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Scorer } from "limbeck-policy/policy/policy";
import type { Evaluation } from "limbeck-core/eval/evaluate";
import type { UpdateEvent } from "./events.ts";

/** Metrics of every update that the brake looks at. */
export const BRAKE_METRICS = { distance: "brake/distance", rate: "brake/rate" } as const;

/** What it reads of an update. */
export interface BrakeRow {
  readonly update: number;
  readonly success: number;
  readonly entropy: number;
  /** Divergence from the start, nats a token; missing where nothing could be compared. */
  readonly distance?: number;
}

/** What it remembers; plain JSON, in the checkpoint. */
export interface BrakeState {
  /** The first updates: the first of them was played by the start itself. */
  readonly first: readonly BrakeRow[];
  readonly last: readonly BrakeRow[];
  /** The update after which it slowed; null while it has not. */
  readonly slowedAt: number | null;
  /** Updates in a row without a sign since. */
  readonly quiet: number;
}

export const RELEASED: BrakeState = { first: [], last: [], slowedAt: null, quiet: 0 };

/** What is left of the learning rate while it slows. */
const SLOWED = 0.3;
/** Updates that must show a sign, and that a slowed training has before it ends or is let go. */
const WINDOW = 3;
const ENTROPY_LEFT = 0.1;
const FAR_NATS = 1;

export const rateLeft = ({ slowedAt }: BrakeState): number => (slowedAt === null ? 1 : SLOWED);

export interface Braked {
  readonly state: BrakeState;
  /** New, for people: it slows, or lets go. */
  readonly message?: string;
  /** Why the training is over. */
  readonly ends?: string;
}

type Validations = readonly {
  readonly update: number;
  readonly evaluation: Pick<Evaluation, "success" | "low" | "high">;
}[];

/** Looks at one more update, and at the validations so far, the start's first. */
export function brake(before: BrakeState, row: BrakeRow, validations: Validations): Braked {
  const first = before.first.length < WINDOW ? [...before.first, row] : before.first;
  const last = [...before.last, row].slice(-WINDOW);
  const { slowedAt } = before;
  const wandering = last.length < WINDOW ? undefined : aimless(first, last);
  const below = fallen(validations);
  const cause = wandering ?? below;
  const quiet = cause === undefined && slowedAt !== null ? before.quiet + 1 : 0;
  const state = { first, last, slowedAt, quiet };
  const from = `The brake, after update ${row.update}:`;
  if (slowedAt === null) {
    if (cause === undefined) return { state };
    const message = `${from} ${cause}. From here on the learning rate is ${SLOWED} of its own; where this lasts, the training ends.`;
    return { state: { ...state, slowedAt: row.update }, message };
  }
  // One validation counts once: it slows, and the next one ends.
  const lasts = wandering !== undefined && row.update >= slowedAt + WINDOW;
  const stillBelow = below !== undefined && (validations.at(-1)?.update ?? 0) >= slowedAt;
  if (lasts || stillBelow) {
    return { state, ends: `${from} ${cause}; slowing since update ${slowedAt} has not helped. The training ends.` };
  }
  if (quiet < WINDOW) return { state };
  const message = `${from} nothing was wrong for ${WINDOW} updates. The learning rate is its own again.`;
  return { state: { ...state, slowedAt: null, quiet: 0 }, message };
}

/** Whether the newest validation lies surely below the start's: the interval of the difference (Newcombe) is below 0. */
export function fallen(validations: Validations): string | undefined {
  const [start, now] = [validations[0], validations.at(-1)];
  if (start?.update !== 0 || now === undefined || now === start) return undefined;
  const [then, is] = [start.evaluation, now.evaluation];
  if (then.success === null || is.success === null) return undefined;
  if (!(then.success - is.success > Math.hypot(then.success - then.low, is.high - is.success))) return undefined;
  return `validation success is ${is.success.toFixed(2)} and was ${then.success.toFixed(2)} at the start, which is more than chance`;
}

/** Success that has not risen, with a policy that tries nothing new or has left its start. */
function aimless(first: readonly BrakeRow[], last: readonly BrakeRow[]): string | undefined {
  const [then, now] = [first, last].map((rows) => mean(rows.map(({ success }) => success))) as [number, number];
  // Its first updates alone do not show whether it has risen.
  if (last[0]?.update === first[0]?.update || !(now <= then)) return undefined;
  const success = `success of the last ${WINDOW} updates is ${now.toFixed(2)} and was ${then.toFixed(2)} in the first`;
  const began = first[0]?.entropy ?? Number.NaN;
  const entropy = mean(last.map((one) => one.entropy));
  if (entropy < ENTROPY_LEFT * began) {
    return `${success}, and the policy hardly tries anything new: its entropy fell from ${began.toFixed(3)} to ${entropy.toFixed(5)} nats`;
  }
  const distances = last.flatMap(({ distance }) => distance ?? []);
  if (distances.length < WINDOW || !(mean(distances) > FAR_NATS)) return undefined;
  return `${success}, and the policy is ${mean(distances).toFixed(2)} nats a token from its start`;
}

/** What `brake` reads of an update's event. */
export function brakeRow({ update, success, entropy, metrics }: Omit<UpdateEvent, "spent">): BrakeRow {
  const distance = metrics[BRAKE_METRICS.distance];
  return { update, success, entropy, ...(distance === undefined ? {} : { distance }) };
}

/** Streams that are read by the start to learn how far the policy has gone: few, so that it costs next to nothing. */
const COMPARED = 4;

/** Mean of log p - log p of the start over sampled tokens, which estimates the divergence at the time of playing. */
export async function distanceFrom(
  start: Pick<Scorer, "score">,
  episodes: readonly Trajectory[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const streams = episodes.flatMap((episode) =>
    episode.streams.flatMap(({ ids, mask, logprobs }) =>
      logprobs !== undefined && mask.includes(1) ? [{ ids, mask, logprobs }] : [],
    ),
  );
  const every = Math.max(1, Math.ceil(streams.length / COMPARED));
  const some = streams.filter((_, at) => at % every === 0);
  if (some.length === 0) return undefined;
  const scored = await start.score(
    some.map(({ ids, mask }) => ({ ids, mask })),
    { signal },
  );
  const shifts = some.flatMap(({ mask, logprobs }, at) =>
    Array.from(logprobs.keys()).flatMap((token) =>
      mask[token] === 1 ? [(logprobs[token] as number) - (scored[at]?.logprob?.[token] ?? Number.NaN)] : [],
    ),
  );
  return mean(shifts);
}
