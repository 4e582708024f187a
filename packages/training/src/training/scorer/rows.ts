/** Rows that a scorer learns from: an episode's tokens, the places where it is asked, and what it should say there. */
import { EngineError } from "limbeck-base/base/errors";
import { groupedBy } from "limbeck-base/base/grouped-by";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { CONTINUATIONS } from "./continuations.ts";
import { OUTLOOK } from "./outlook.ts";

export interface ScorerRow extends TrainRow {
  readonly trajectory: string;
  readonly group: string;
  /** The steps of this stream, in order. */
  readonly places: readonly ScorerPlace[];
  /** What is to be foretold where the mask is 1, aligned with `ids`. */
  readonly returns: Float64Array;
}

/** Where the head is read. The value at a place is of everything before it: after `at` tokens. */
export interface ScorerPlace {
  readonly step: number;
  /** Before its first token: the state that the action is chosen in. */
  readonly before: number;
  /** After its last token. */
  readonly after: number;
}

/**
 * What a place is to foretell: whether the episode succeeded ("outcome"), how many ways on from there succeed
 * ("continuations"), how many episodes with as far to go did ("outlook"), or a stored reward of its step by name.
 */
export type Labels = "outcome" | typeof CONTINUATIONS | typeof OUTLOOK | (string & {});

/** A token that is not read where the head stands before it. */
const ASKING = 0;

/** These tokens and one more, so that the head can be read after the last of them. */
export function withAsking(ids: Int32Array): Int32Array {
  const asked = new Int32Array(ids.length + 1).fill(ASKING);
  asked.set(ids);
  return asked;
}

/**
 * Rows of one trajectory, one for each of its streams. None where it has no tokens or no label. The outcome is
 * foretold before and after every token of the policy's own, so that the head has an opinion anywhere; a reward of a
 * step after that step alone. Inside a step the outlook is what it leads to.
 */
export function scorerRows(
  trajectory: Trajectory,
  labels: Labels = "outcome",
  shares: ReadonlyMap<number, number> = new Map(),
): ScorerRow[] {
  if (labels === CONTINUATIONS) return continuedRows(trajectory, shares);
  const isAnywhere = labels === "outcome" || labels === OUTLOOK;
  const rows: ScorerRow[] = [];
  for (const [stream, { ids }] of trajectory.streams.entries()) {
    const known = trajectory.steps.flatMap(({ index, span }) => {
      if (span === undefined || span.stream !== stream || span.end <= span.start) return [];
      const label = labels === OUTLOOK ? shares.get(index) : labelOf(trajectory, index, labels);
      return label === undefined ? [] : [{ step: index, before: span.start, after: span.end, label }];
    });
    const last = known.at(-1);
    if (last === undefined) continue;
    const kept = withAsking(ids.subarray(0, last.after));
    const mask = new Uint8Array(kept.length);
    const returns = new Float64Array(kept.length);
    for (const [at, { before, after, label }] of known.entries()) {
      // Before the first token of all nothing was read.
      const first = isAnywhere ? Math.max(1, before) : after;
      mask.fill(1, first, after + 1);
      returns.fill(label, first, after + 1);
      if (isAnywhere) returns[first] = known[at - 1]?.label ?? label;
    }
    const places = known.map(({ step, before, after }) => ({ step, before, after }));
    rows.push({ ids: kept, mask, returns, places, trajectory: trajectory.id, group: trajectory.group });
  }
  return rows;
}

/** Before the steps at which others left it the share of all ways; after the last one how it ended. */
function continuedRows(trajectory: Trajectory, shares: ReadonlyMap<number, number>): ScorerRow[] {
  return scorerRows(trajectory).map((row) => {
    const mask = new Uint8Array(row.ids.length);
    const returns = new Float64Array(row.ids.length);
    for (const { step, before, after } of row.places) {
      const share = shares.get(step);
      if (share !== undefined && before > 0) [mask[before], returns[before]] = [1, share];
      if (step !== trajectory.steps.at(-1)?.index) continue;
      [mask[after], returns[after]] = [1, Number(trajectory.success)];
    }
    return { ...row, mask, returns };
  });
}

function labelOf({ success, rewards }: Trajectory, step: number, labels: Labels): number | undefined {
  if (labels === "outcome") return success === null ? undefined : Number(success);
  const found = rewards.findLast((one) => one.name === labels && one.step === step && one.tokens === undefined);
  return found === undefined ? undefined : scoreValue(found.score);
}

/** Pairs of one group, the success above the failure, in turn; each of the fewer kind is used once. */
export function pairedRows(rows: readonly ScorerRow[]): ScorerRow[] {
  const groups = groupedBy(rows, ({ group }) => group);
  return [...groups.values()].flatMap((members) => {
    const worth = (row: ScorerRow): number => row.returns[row.places.at(-1)?.after ?? 0] as number;
    const sorted = members.toSorted((left, right) => worth(right) - worth(left));
    const pairs: ScorerRow[] = [];
    for (let at = 0; at < Math.floor(sorted.length / 2); at += 1) {
      const [better, worse] = [sorted[at] as ScorerRow, sorted[sorted.length - 1 - at] as ScorerRow];
      if (worth(better) <= worth(worse)) break;
      const pair = `${better.trajectory} ${worse.trajectory}`;
      pairs.push({ ...better, pair, rank: 1 }, { ...worse, pair, rank: 0 });
    }
    return pairs;
  });
}

export function refuseFew(rows: readonly ScorerRow[]): void {
  const values = new Set(rows.flatMap(({ places, returns }) => places.map(({ after }) => returns[after])));
  if (rows.length >= 20 && values.size >= 2) return;
  throw new EngineError(
    "bad-input",
    `There are ${rows.length} labelled episodes with ${values.size} different labels; a scorer needs at least 20 episodes, good and bad ones, with the tokens of a model. Roll out more: limbeck rollout --policy DIR --group 8.`,
  );
}
