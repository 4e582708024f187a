/** Rows that a scorer learns from: an episode's tokens, the place after each of its actions, and what it should say there. */
import { EngineError, groupedBy } from "../../base/index.ts";
import type { TrainRow } from "../../policy/index.ts";
import { scoreValue, type Trajectory } from "../../trajectory/index.ts";

export interface ScorerRow extends TrainRow {
  readonly trajectory: string;
  readonly group: string;
  /** The last token of each action, in order, and the step it ends. */
  readonly places: readonly { readonly at: number; readonly step: number }[];
  /** What is to be foretold at the places, aligned with `ids`. */
  readonly returns: Float64Array;
}

/** What a place is to foretell: whether the episode succeeded, or a stored reward of its step by name. */
export type Labels = "outcome" | (string & {});

/** Rows of one trajectory, one for each of its streams. None where it has no tokens or nobody labelled it. */
export function scorerRows(trajectory: Trajectory, labels: Labels = "outcome"): ScorerRow[] {
  const rows: ScorerRow[] = [];
  for (const [stream, { ids }] of trajectory.streams.entries()) {
    const ends = trajectory.steps.flatMap((step) => {
      const { span } = step;
      if (span === undefined || span.stream !== stream || span.end <= span.start) return [];
      const label = labelOf(trajectory, step.index, labels);
      return label === undefined ? [] : [{ at: span.end - 1, step: step.index, label }];
    });
    const last = ends.at(-1);
    if (last === undefined) continue;
    const kept = ids.subarray(0, last.at + 1);
    const mask = new Uint8Array(kept.length);
    const returns = new Float64Array(kept.length);
    for (const { at, label } of ends) {
      mask[at] = 1;
      returns[at] = label;
    }
    const places = ends.map(({ at, step }) => ({ at, step }));
    rows.push({ ids: kept, mask, returns, places, trajectory: trajectory.id, group: trajectory.group });
  }
  return rows;
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
    const worth = (row: ScorerRow): number => row.returns[row.places.at(-1)?.at ?? 0] as number;
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
  const values = new Set(rows.flatMap(({ places, returns }) => places.map(({ at }) => returns[at])));
  if (rows.length >= 20 && values.size >= 2) return;
  throw new EngineError(
    "bad-input",
    `There are ${rows.length} labelled episodes with ${values.size} different labels; a scorer needs at least 20 episodes, good and bad ones, with the tokens of a model. Roll out more: limbeck rollout --policy DIR --group 8.`,
  );
}
