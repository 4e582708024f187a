/** What scorers of both kinds say: at the asked places of rows, and of whole episodes. */
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { chanceOf, fitWithWords, type OwnWords } from "./likelihood.ts";
import type { Platt } from "./measures.ts";
import type { EpisodeChances } from "./report.ts";
import { scorerRows, type ScorerRow } from "./rows.ts";
import { stateValue, type StateHead } from "./state-head.ts";

/** The outputs at the asked places of each row, aligned with its tokens. */
export type Reader = (rows: readonly ScorerRow[], signal?: AbortSignal) => Promise<readonly Float32Array[]>;

/**
 * Where the head of an adapter is read for a place: on the last token before it, or on the first after it. Scorers
 * of the second kind have seen one token too many while they learnt, and none where they are asked: their order is good, their
 * chances in the middle of episodes are too high. They are opened as they were made.
 */
export const STANDS = ["before", "after"] as const;
export type Stands = (typeof STANDS)[number];

/** What the head says at every asked place of each row. */
export async function headScores(
  model: Pick<LocalModel, "score">,
  rows: readonly Pick<ScorerRow, "ids" | "mask">[],
  stands: Stands,
  signal?: AbortSignal,
): Promise<readonly Float32Array[]> {
  if (rows.length === 0) return [];
  const read = rows.map(({ ids, mask }) =>
    stands === "before" ? { ids: ids.subarray(0, -1), mask: mask.subarray(1) } : { ids, mask },
  );
  const found = await model.score(read, { statistics: ["quality"], ...(signal === undefined ? {} : { signal }) });
  return found.map(({ quality }) => (stands === "before" ? later(quality as Float32Array) : (quality as Float32Array)));
}

/** A row as its head learns it: the label of a place stands on the token before it, so the last token is not read. */
export function standingBefore(row: ScorerRow): ScorerRow {
  return { ...row, ids: row.ids.subarray(0, -1), mask: row.mask.subarray(1), returns: row.returns.subarray(1) };
}

function later(values: Float32Array): Float32Array {
  const moved = new Float32Array(values.length + 1);
  moved.set(values, 1);
  return moved;
}

/**
 * States are asked for by the token that they foretell: in a conversation that fills the context there is none after the last.
 * Longer ones stay as they are, and are refused.
 */
export function withinContext<Row extends Pick<ScorerRow, "ids" | "mask">>(row: Row, contextLength: number): Row {
  if (row.ids.length !== contextLength + 1) return row;
  return { ...row, ids: row.ids.subarray(0, contextLength), mask: row.mask.subarray(0, contextLength) };
}

/** What a head on states says at the asked tokens of each row. */
export async function statesScores(
  model: Pick<LocalModel, "states" | "config">,
  head: StateHead,
  rows: readonly Pick<ScorerRow, "ids" | "mask">[],
  signal?: AbortSignal,
): Promise<readonly Float32Array[]> {
  const { hiddenSize, contextLength } = model.config;
  const fitting = rows.map(({ ids, mask }) => {
    const inside = withinContext({ ids, mask: mask.slice() }, contextLength);
    if (mask[contextLength] === 1) inside.mask[contextLength - 1] = 1;
    return inside;
  });
  const found = await model.states(fitting, signal);
  return fitting.map(({ ids, mask }, row) => {
    const scores = new Float32Array(rows[row]?.ids.length ?? 0);
    let asked = 0;
    for (let at = 1; at < ids.length; at += 1) {
      if (mask[at] !== 1) continue;
      const own = (found[row] as Float32Array).subarray(asked * hiddenSize, (asked + 1) * hiddenSize);
      scores[at] = stateValue(head, own);
      asked += 1;
    }
    // After the last token that fits: the state that sampling keeps too.
    if (scores.length > contextLength) scores[contextLength] = scores[contextLength - 1] as number;
    return scores;
  });
}

export interface Outputs {
  readonly values: readonly number[];
  readonly labels: readonly number[];
}

/**
 * Predictions and labels: at every place that has a label, or where such a scorer will be asked (`early` as in
 * `askedPlaces`).
 */
export async function outputsOf(
  reader: Reader,
  rows: readonly ScorerRow[],
  early: Early,
  signal?: AbortSignal,
): Promise<Outputs> {
  const scores = await reader(rows, signal);
  const asked = judgedPlaces(rows, early);
  return {
    values: asked.map(({ row, at }) => scores[row]?.[at] as number),
    labels: asked.map(({ row, at }) => rows[row]?.returns[at] as number),
  };
}

/** The same places and labels with what the model thinks of its own words there, to fit both together. */
export async function fittedWithWords(
  reader: Reader,
  words: (rows: readonly ScorerRow[]) => Promise<readonly OwnWords[]>,
  rows: readonly ScorerRow[],
  early: Early,
  signal?: AbortSignal,
): Promise<Platt> {
  const [scores, own] = [await reader(rows, signal), await words(rows)];
  const all = judgedPlaces(rows, early);
  // Before the first own word there is nothing to doubt, and such places would say that to say nothing is surest.
  const speaking = all.filter(({ row, at }) => (own[row]?.least[at] ?? 0) < 0);
  const asked = speaking.length === 0 ? all : speaking;
  return fitWithWords(
    asked.map(({ row, at }) => ({
      output: scores[row]?.[at] as number,
      mean: own[row]?.mean[at] as number,
      least: own[row]?.least[at] as number,
    })),
    asked.map(({ row, at }) => rows[row]?.returns[at] as number),
  );
}

/** At all places with a label, or where such a scorer is asked. */
type Early = 0 | 1 | "labelled";

function judgedPlaces(rows: readonly ScorerRow[], early: Early): { readonly row: number; readonly at: number }[] {
  const all =
    early === "labelled"
      ? rows.flatMap(({ mask }, row) => [...mask.keys()].map((at) => ({ row, at })))
      : [...askedPlaces(rows, early).values()].flat();
  return all.filter(({ row, at }) => rows[row]?.mask[at] === 1);
}

/**
 * Where it is asked about each episode, by its id, the end last: before each step but the first, and after the last. What
 * sampling has computed is one token `early`: before the last token of each step. With a single step,
 * its tokens are what can be looked into.
 */
function askedPlaces(
  rows: readonly ScorerRow[],
  early: 0 | 1,
): ReadonlyMap<string, readonly { readonly row: number; readonly at: number }[]> {
  const places = new Map<string, { readonly before: number; readonly after: number; readonly row: number }[]>();
  for (const [row, { trajectory, places: own }] of rows.entries())
    places.set(trajectory, [...(places.get(trajectory) ?? []), ...own.map((place) => ({ ...place, row }))]);
  const oneStep = [...places.values()].every(({ length }) => length === 1);
  return new Map(
    [...places].map(([id, own]) => {
      const last = own.at(-1) as (typeof own)[number];
      const middle = oneStep
        ? Array.from({ length: last.after - early - last.before - 1 }, (_, at) => ({
            row: last.row,
            at: last.before + 1 + at,
          }))
        : early === 1
          ? own.slice(0, -1).map(({ row, after }) => ({ row, at: after - early }))
          : own.slice(1).map(({ row, before }) => ({ row, at: before }));
      return [id, [...middle, { row: last.row, at: last.after - early }]];
    }),
  );
}

export interface SaidOptions {
  readonly platt: Platt;
  readonly early: 0 | 1;
  /** What the model thinks of its own words, where they count. */
  readonly words?: ((rows: readonly ScorerRow[]) => Promise<readonly OwnWords[]>) | undefined;
}

/** What it says of each episode, by its id; those without tokens or labels are not among them. */
export async function saidOf(
  reader: Reader,
  trajectories: readonly Trajectory[],
  { platt, early, words }: SaidOptions,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, EpisodeChances>> {
  const rows = trajectories.flatMap((own) => scorerRows(own));
  const scores = await reader(rows, signal);
  const own = platt.likelihood === undefined ? undefined : await words?.(rows);
  return new Map(
    [...askedPlaces(rows, early)].map(([id, asked]) => {
      const chances = asked.map(({ row, at }) =>
        chanceOf(platt, scores[row]?.[at] as number, own?.[row]?.mean[at], own?.[row]?.least[at]),
      );
      return [id, { middle: chances.slice(0, -1), end: chances.at(-1) as number }];
    }),
  );
}
