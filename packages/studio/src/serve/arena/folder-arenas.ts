/** Arenas in the store's folder: each is a folder with a plan and journals, which may still be growing. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { hasInterval } from "limbeck-base/base/statistics/student-t";
import { accountNames, comparisonWords, verdictWords } from "limbeck-training/arena/words";
import { readResults } from "limbeck-training/arena/results";
import { storedPlan } from "limbeck-training/arena/run-plan";
import { summarise, type AccountSummary, type ArenaSummary, type Estimate } from "limbeck-training/arena/summary";
import type { ArenaPlan } from "limbeck-training/arena/plan";
import type { ArenaArm, ArenaDetail, ArenaItem } from "../api/arena.ts";
import type { Interval } from "../api/base.ts";

export interface Arenas {
  list(): Promise<ArenaItem[]>;
  read(id: string): Promise<ArenaDetail>;
}

const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;

export function openFolderArenas(root: string): Arenas {
  return {
    list: async () => {
      // No folder, no arenas.
      const names = (await readdir(root).catch(() => [])).filter((name) => NAME.test(name));
      const found: ArenaItem[] = [];
      for (const name of names) {
        if (await isArena(join(root, name))) found.push(await itemAt(root, name));
      }
      return found.sort((left, right) => ((left.createdAt ?? "") < (right.createdAt ?? "") ? 1 : -1));
    },
    read: async (id) => {
      const plan = NAME.test(id) ? await storedPlan(join(root, id)).catch(badPlan(id)) : undefined;
      if (plan === undefined) throw new EngineError("no-arena", `There is no arena "${id}" in this store.`);
      const summary = summarise(plan, await readResults(plan, join(root, id)));
      return detailOf(await itemOf(root, id, plan, summary), plan, summary);
    },
  };
}

function badPlan(id: string): (error: unknown) => never {
  return (cause) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("bad-arena", `The plan of arena "${id}" cannot be read: ${why}`, { cause });
  };
}

async function isArena(folder: string): Promise<boolean> {
  return await stat(join(folder, "plan.json")).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function itemAt(root: string, id: string): Promise<ArenaItem> {
  try {
    const plan = await storedPlan(join(root, id));
    if (plan === undefined) throw new EngineError("no-arena", `Arena "${id}" is gone.`);
    return await itemOf(root, id, plan, summarise(plan, await readResults(plan, join(root, id))));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { id, createdAt: null, env: null, arms: [], seeds: 0, done: 0, planned: 0, problem };
  }
}

async function itemOf(root: string, id: string, plan: ArenaPlan, { runs, missing }: ArenaSummary): Promise<ArenaItem> {
  const found = await stat(join(root, id, "plan.json"));
  return {
    id,
    createdAt: found.mtime.toISOString(),
    env: plan.env,
    arms: plan.arms.map(({ name }) => name),
    seeds: plan.seeds.length,
    done: runs.length - missing.length,
    planned: runs.length,
    problem: null,
  };
}

function detailOf(item: ArenaItem, plan: ArenaPlan, summary: ArenaSummary): ArenaDetail {
  const [primary] = summary.accounts;
  const failures = summary.missing.filter(({ failure }) => failure !== undefined);
  return {
    ...item,
    config: JSON.parse(JSON.stringify(plan)) as Record<string, unknown>,
    budget: accountNames[plan.budget.account],
    table: plan.arms.map(({ name, recipe }) => armOf(name, recipe, summary, primary)),
    curves: (primary?.arms ?? []).map(({ name, curve, curves }) => ({
      arm: name,
      points: curve.at.map((x, at) => ({
        x,
        y: curve.mean[at] as number,
        ...(hasInterval(curves.length) ? { low: curve.low[at] as number, high: curve.high[at] as number } : {}),
      })),
    })),
    pairs: (primary?.area.comparisons ?? []).flatMap(
      ({ left, right, pairs, difference, interval, adjustedP, better }) =>
        [difference, interval.low, interval.high].every(Number.isFinite)
          ? [{ left, right, seeds: pairs, difference, ...interval, p: finite(adjustedP), separated: better !== null }]
          : [],
    ),
    notes: [
      verdictWords(summary),
      ...(primary?.area.comparisons ?? []).map(comparisonWords),
      ...failures.map(({ arm, seed, failure }) => `${arm}, seed ${seed}, failed: ${failure}`),
      ...summary.arms.flatMap(({ name, notices }) => notices.map((notice) => `${name}: ${notice}`)),
    ],
  };
}

function armOf(name: string, recipe: string, summary: ArenaSummary, primary: AccountSummary | undefined): ArenaArm {
  const own = primary?.arms.find((arm) => arm.name === name);
  const rating = summary.ratings.find((one) => one.name === name);
  const standing = primary?.area.standings.arms.find((one) => one.name === name);
  const seeds = own?.area.seeds ?? 0;
  return {
    arm: name,
    recipe,
    final: intervalOf(summary.arms.find((arm) => arm.name === name)?.final),
    areaUnderCurve: intervalOf(own?.area),
    rating:
      rating === undefined || seeds === 0
        ? null
        : bounded({ value: rating.rating, low: rating.low, high: rating.high, tasks: seeds }),
    rank: standing === undefined || seeds === 0 ? null : standing.bestRank,
    reached: (own?.reached ?? []).map(({ target, median }) => ({ success: target, at: median })),
    runs: [],
    failures: summary.missing.filter(({ arm, failure }) => arm === name && failure !== undefined).length,
  };
}

function intervalOf(estimate: Estimate | undefined): Interval | null {
  if (estimate === undefined || estimate.seeds === 0) return null;
  const { mean: value, low, high, seeds } = estimate;
  return bounded({ value, low, high, tasks: seeds });
}

/** With one seed nothing is known about the spread: the interval is then the value alone. */
function bounded({ value, low, high, tasks }: Interval): Interval {
  return { value, low: finite(low) ?? value, high: finite(high) ?? value, tasks };
}

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}
