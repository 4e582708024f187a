/** Random batches of the kinds that cases name. */
import { createRng, type Rng } from "../../../packages/base/src/base/rng.ts";
import type { CreditBatch, CreditRow } from "../../../packages/core/src/credit/row.ts";
import { randomBatch } from "../../../packages/core/src/credit/random-batch.ts";
import type { BatchKind } from "./cases.ts";

/** One batch of each kind. */
export function batchesOf(seed: number): Readonly<Record<BatchKind, object>> {
  const shape = { seed, tasks: 1 + (seed % 4), trajectories: 1 + (seed % 5), steps: 1 + (seed % 6), tokens: 6 };
  const batch = randomBatch({ ...shape, states: 5, signals: false });
  const single = { ...shape, trajectories: 2 + (seed % 5), steps: 1, states: 5 };
  const rng = createRng(`kinds-${seed}`);
  return {
    masked: toJson(batch, (row) => row),
    whole: toJson(batch, (row) => ({ ...row, mask: row.mask.map(() => 1) })),
    turns: toJson(batch, withTurnRewards(createRng(`turns-${seed}`))),
    answers: toJson(randomBatch(single), ({ signals: _unread, ...row }) => row),
    signals: toJson(randomBatch(shape), withChains(rng)),
    tree: toJson(randomBatch({ ...shape, branches: true, signals: false }), withoutToken),
    leaves: toJson(randomBatch({ ...single, signals: false }), withPath(rng)),
    responses: toJson(correctAboveZero(randomBatch({ ...single, full: true, tokens: 8, signals: false })), inside(rng)),
  };
}

/** The published code needs a reward on the last trained token, and sees turn ends by their rewards. */
function withTurnRewards(rng: Rng): (row: CreditRow) => CreditRow {
  return (row) => {
    const last = row.mask.lastIndexOf(1);
    const tokenRewards = Float64Array.from(row.mask, (one, token) =>
      token === last || (one === 1 && rng.float() < 0.3) ? 0.25 + rng.float() : 0,
    );
    return { ...row, tokenRewards };
  };
}

/** Likelihoods that go on from turn to turn, one answer a trajectory, nothing cut off, no arguments that cannot be read. */
function withChains(rng: Rng): (row: CreditRow) => CreditRow {
  const last = new Map<string, { readonly id: string; readonly after: number }>();
  return (row) => {
    const known = last.get(row.trajectory) ?? { id: rng.float() < 0.6 ? "a" : "b", after: 0.1 + 0.9 * rng.float() };
    const after = 0.1 + 0.9 * rng.float();
    last.set(row.trajectory, { id: known.id, after });
    const calls = (row.signals?.calls ?? []).map((call) => ({ ...call, arguments: call.arguments ?? {} }));
    const cluster = { id: known.id, before: known.after, after };
    return { ...row, truncated: false, signals: { ...row.signals, calls, cluster } };
  };
}

function withoutToken({ parent, ...row }: CreditRow): CreditRow {
  return parent === undefined ? row : { ...row, parent: { trajectory: parent.trajectory, step: parent.step } };
}

function withPath(rng: Rng): (row: CreditRow) => CreditRow {
  return (row) => {
    const way = Array.from({ length: rng.int(4) }, (_, depth) => `${depth}-${rng.int(2)}`);
    return { ...row, path: [row.task, ...way, row.trajectory] };
  };
}

/**
 * Half of the responses leave an earlier one of their task, behind a token that both have and that is its own: what
 * leaves a parent before the parent began, published code puts on the parent's way all the same.
 */
function inside(rng: Rng): (row: CreditRow) => CreditRow {
  const earlier = new Map<string, { readonly trajectory: string; readonly length: number; readonly began: number }[]>();
  return (given) => {
    const length = 2 + rng.int(7);
    const cut = <Values extends Float64Array | Uint8Array>(values: Values): Values => values.slice(0, length) as Values;
    const { logprobs: _unread, values, ...rest } = given;
    const row = { ...rest, mask: cut(given.mask), ...(values && { values: cut(values) }) };
    const known = earlier.get(row.task) ?? [];
    const parent = known[rng.int(2 * known.length + 1)];
    const room = parent === undefined ? 0 : Math.min(parent.length, length) - 1 - parent.began;
    const token = parent === undefined || room < 1 ? 0 : parent.began + 1 + rng.int(room);
    earlier.set(row.task, [...known, { trajectory: row.trajectory, length, began: token }]);
    if (parent === undefined || token === 0) return row;
    return { ...row, parent: { trajectory: parent.trajectory, step: 0, token } };
  };
}

function correctAboveZero({ rows, trajectories }: CreditBatch): CreditBatch {
  const marked = [...trajectories].map(([id, { outcome }]) => [id, { outcome, success: outcome > 0 }] as const);
  return { rows, trajectories: new Map(marked) };
}

function toJson({ rows, trajectories }: CreditBatch, change: (row: CreditRow) => CreditRow): object {
  return {
    rows: rows.map((row) => {
      const { mask, values, tokenRewards, logprobs, state, ...rest } = change(row);
      const plain = (array: Float64Array | undefined) => (array === undefined ? undefined : [...array]);
      const scores = Object.entries(logprobs ?? {}).map(([name, array]) => [name, plain(array)]);
      return {
        ...rest,
        state: sentence(state ?? ""),
        mask: [...mask],
        values: plain(values),
        tokenRewards: plain(tokenRewards),
        logprobs: Object.fromEntries(scores),
      };
    }),
    trajectories: Object.fromEntries(trajectories),
  };
}

/** Observations long enough that some differ by less than 5%: states 0 and 1, and 2 and 3. */
function sentence(state: string): string {
  const number = Number(state.replace(/\D/g, ""));
  const room = ["kitchen", "garden shed", "cellar"][Math.floor(number / 2)] ?? "hall";
  return `You are in the ${room}. On the table you see a mug, a plate and ${number} spoons. What next?`;
}
