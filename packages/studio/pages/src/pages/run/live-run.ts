/** A run and what has happened to it since it was asked for, as one value. */
import type { Curve, RunDetail, RunEvents, TrajectoryItem } from "../../../../src/serve/api.ts";

export interface LiveRun {
  readonly detail: RunDetail;
  /** Episodes that became visible while the page was open, newest first. */
  readonly arrived: readonly TrajectoryItem[];
  /** How many there were; more than `arrived` keeps. */
  readonly arrivedCount: number;
  /** Set when the run was deleted or broke under the open page. */
  readonly gone: RunEvents["gone"] | undefined;
}

const KEPT = 60;

export function startLive(detail: RunDetail): LiveRun {
  return { detail, arrived: [], arrivedCount: 0, gone: undefined };
}

export function applyRunEvent<Name extends keyof RunEvents>(
  live: LiveRun,
  event: Name,
  data: RunEvents[Name],
): LiveRun {
  const apply = APPLY[event] as ((live: LiveRun, data: RunEvents[Name]) => LiveRun) | undefined;
  // A later server may send more kinds of events than this page knows.
  return apply === undefined ? live : apply(live, data);
}

const APPLY: { readonly [Name in keyof RunEvents]: (live: LiveRun, data: RunEvents[Name]) => LiveRun } = {
  hello: (live, { run }) => withDetail(live, run),
  state: (live, { run }) => withDetail(live, run),
  metrics: (live, { values }) => withDetail(live, { curves: mergeValues(live.detail.curves, values) }),
  evaluations: (live, { evaluations }) =>
    withDetail(live, {
      evaluations: newestOf([...live.detail.evaluations, ...evaluations], (one) => `${one.phase} ${one.update}`),
    }),
  notices: (live, { notices }) =>
    withDetail(live, {
      notices: newestOf([...live.detail.notices, ...notices], (one) => `${one.time} ${one.update} ${one.message}`),
    }),
  trajectories: (live, { count, trajectories }) => ({
    ...live,
    arrived: newestOf([...live.arrived, ...trajectories.toReversed()], ({ id }) => id).slice(-KEPT),
    arrivedCount: live.arrivedCount + count,
  }),
  gone: (live, gone) => ({ ...live, gone }),
};

function withDetail(live: LiveRun, change: Partial<RunDetail>): LiveRun {
  return { ...live, detail: { ...live.detail, ...change } };
}

/** A value that comes twice (a resumed run, a reconnection) counts once: the last one. */
function mergeValues(curves: readonly Curve[], values: RunEvents["metrics"]["values"]): Curve[] {
  const byName = new Map(curves.map((curve) => [curve.name, curve]));
  const added = new Map<string, Curve["points"]>();
  for (const { name, point } of values) added.set(name, [...(added.get(name) ?? []), point]);
  for (const [name, points] of added) {
    const curve = byName.get(name) ?? { name, topic: "other" as const, unit: "", points: [] };
    const merged = newestOf([...curve.points, ...points], ({ x }) => String(x)).sort((left, right) => left.x - right.x);
    byName.set(name, { ...curve, points: merged });
  }
  return [...byName.values()];
}

function newestOf<Item>(items: readonly Item[], key: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}
