/**
 * First step of the parity check: writes random batches and the list of cases.
 *
 *     npx tsx bench/parity-credit/make.ts FOLDER
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRng } from "../../src/base/index.ts";
import type { CreditBatch, CreditRow } from "../../src/credit/index.ts";
import { randomBatch } from "../../src/credit/random-batch.ts";
import { CASES } from "./cases.ts";

const BATCHES = 60;
const folder = process.argv[2] ?? "parity";

const kinds = { masked: [] as object[], whole: [] as object[], turns: [] as object[], answers: [] as object[] };
for (let seed = 0; seed < BATCHES; seed += 1) {
  const shape = { seed, tasks: 1 + (seed % 4), trajectories: 1 + (seed % 5), steps: 1 + (seed % 6), tokens: 6 };
  const batch = randomBatch({ ...shape, states: 5, signals: false });
  const single = { ...shape, trajectories: 2 + (seed % 5), steps: 1, states: 5 };
  kinds.answers.push(toJson(randomBatch(single), ({ signals: _unread, ...row }) => row));
  kinds.masked.push(toJson(batch, (row) => row));
  kinds.whole.push(toJson(batch, (row) => ({ ...row, mask: row.mask.map(() => 1) })));
  const rng = createRng(`turns-${seed}`);
  kinds.turns.push(
    toJson(batch, (row) => {
      const last = row.mask.lastIndexOf(1);
      // The published code needs a reward on the last trained token, and sees turn ends by their rewards.
      const tokenRewards = Float64Array.from(row.mask, (one, token) =>
        token === last || (one === 1 && rng.float() < 0.3) ? 0.25 + rng.float() : 0,
      );
      return { ...row, tokenRewards };
    }),
  );
}
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "batches.json"), JSON.stringify({ cases: CASES, batches: kinds }));
process.stdout.write(`Wrote ${join(folder, "batches.json")}. Next: published.py, then compare.ts.\n`);

function toJson({ rows, trajectories }: CreditBatch, change: (row: CreditRow) => CreditRow): object {
  return {
    rows: rows.map((row) => {
      const { mask, values, tokenRewards, logprobs, state, ...rest } = change(row);
      const plain = (array: Float64Array | undefined) => (array === undefined ? undefined : [...array]);
      const scores = Object.entries(logprobs ?? {}).map(([name, array]) => [name, plain(array as Float64Array)]);
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
