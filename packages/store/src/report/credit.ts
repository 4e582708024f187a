/** One group of an update with its credit, token by token. */
import { z } from "zod";
import { quantile } from "limbeck-base/base/statistics/summary";
import type { Store } from "../store/store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

const row = z.object({
  trajectory: z.string(),
  step: z.number(),
  advantages: z.array(z.number()),
  shift: z.array(z.number()).optional(),
  /** Between the policy and the teacher, where that is what was learned from. */
  divergence: z.array(z.number()).optional(),
  teacher: z.string().optional(),
  /** How the advantages were composed: weight × value, added up; one value for the row or one for each token. */
  terms: z
    .array(
      z.object({
        name: z.string(),
        weight: z.number(),
        value: z.number().optional(),
        values: z.array(z.number()).optional(),
      }),
    )
    .optional(),
});
const credit = z.object({ update: z.number(), group: z.string(), rows: z.array(row) });

export type CreditRow = z.infer<typeof row>;

/** The rows of a stored credit event; none where it is something else. */
export function creditRows(data: unknown): CreditRow[] {
  return credit.safeParse(data).data?.rows ?? [];
}

export interface CreditedGroup {
  readonly update: number;
  readonly trajectories: readonly Trajectory[];
  /** Rows of a trajectory by step. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<number, CreditRow>>;
  /** What counts as a strong colour: few tokens are beyond it. */
  readonly scale: { readonly advantage: number; readonly shift: number; readonly divergence: number };
  /** What sets the words of a step apart: their advantages, or the teacher where each step has one advantage. */
  readonly apart: "advantage" | "shift";
}

/** The first and the last update that had a group with both successes and failures. */
export async function readCredit(store: Store, run: string): Promise<CreditedGroup[]> {
  const { rows } = await store.query(
    `with told as (
       select data, cast(data ->> 'update' as integer) as update_number from events where kind = 'credit'
     )
     select data from told where update_number in (
       (select min(update_number) from told), (select max(update_number) from told)
     ) order by update_number`,
    { run, trusted: true },
  );
  const groups = [];
  for (const [data] of rows) {
    const read = credit.safeParse(JSON.parse(String(data)));
    if (read.success) groups.push(await withTrajectories(store, run, read.data));
  }
  return groups;
}

async function withTrajectories(
  store: Store,
  run: string,
  { update, rows }: z.infer<typeof credit>,
): Promise<CreditedGroup> {
  const byTrajectory = new Map<string, Map<number, CreditRow>>();
  for (const one of rows) {
    const steps = byTrajectory.get(one.trajectory) ?? new Map<number, CreditRow>();
    byTrajectory.set(one.trajectory, steps.set(one.step, one));
  }
  const trajectories: Trajectory[] = [];
  if (byTrajectory.size > 0) {
    for await (const one of store.trajectories({ run, ids: [...byTrajectory.keys()] })) trajectories.push(one);
  }
  return {
    update,
    trajectories,
    rows: byTrajectory,
    scale: scalesOf(rows),
    apart: isFlat(rows) && rows.some(({ shift = [] }) => shift.some((one) => one !== 0)) ? "shift" : "advantage",
  };
}

/** Whether every word of a step has the same advantage, as where a divergence to the teacher is learned beside it. */
export function isFlat(rows: readonly CreditRow[]): boolean {
  return rows.every(({ advantages }) => advantages.every((value) => value === advantages[0]));
}

/** What counts as a strong colour: few are beyond it. */
export function scalesOf(rows: readonly CreditRow[]): CreditedGroup["scale"] {
  return {
    advantage: scaleOf(rows.flatMap(({ advantages }) => advantages)),
    shift: scaleOf(rows.flatMap(({ shift = [] }) => shift)),
    divergence: scaleOf(rows.flatMap(({ divergence = [] }) => divergence)),
  };
}

function scaleOf(values: readonly number[]): number {
  const sizes = values.map(Math.abs).filter((size) => size > 0);
  return sizes.length === 0 ? 1 : quantile(sizes, 0.95);
}
