/** `limbeck tail RUN`: the last updates of a training, and then each new one, whichever process writes it. */
import type { RunEvents } from "limbeck-studio/serve/api/live";
import type { EvaluationPoint, RunItem } from "limbeck-studio/serve/api/runs";
import type { Store } from "limbeck-store/store/store";
import type { Frame } from "../command-of.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatDuration, formatRate, plural } from "limbeck-base/base/units";

/** Between two looks at the log. */
const EVERY_MS = 500;
const SHOWN = ["success", "reward", "entropy", "seconds"] as const;
type Values = Partial<Record<(typeof SHOWN)[number], number>>;

export async function tailRun(frame: Frame<object>, given: Store, run: string, last: number): Promise<void> {
  const [{ withOwnSql }, { createRunList }, { followRun }, { goesOn }] = await Promise.all([
    import("limbeck-store/store/with-store"),
    import("limbeck-studio/serve/runs/run-list"),
    import("limbeck-studio/serve/live/follow"),
    import("limbeck-studio/serve/shown"),
  ]);
  const store = withOwnSql(given);
  const runs = createRunList(store, { now: () => new Date() });
  const first = await runs.one(run);
  const done = new AbortController();
  const signal = AbortSignal.any([frame.signal, done.signal]);
  const print = printerOf(frame, first);
  // Where it is followed from: what is committed while the last updates are read is neither missed nor shown twice.
  const { trajectories, metrics, events } = await runs.summary(run);
  const shown = await lastUpdates(store, run, last);
  const newest = shown.at(-1)?.[0] ?? 0;
  for (const [update, values] of shown) print.update(update, values);
  if (!goesOn(first.status)) return print.end(first);
  for await (const sent of followRun(
    { store, runs, everyMs: EVERY_MS },
    run,
    `${trajectories}.${metrics}.${events}`,
  )(signal)) {
    if (sent === undefined) continue;
    if (sent.event === "metrics") {
      for (const [update, values] of byUpdate((sent.data as RunEvents["metrics"]).values)) {
        if (update > newest) print.update(update, values);
      }
    } else if (sent.event === "evaluations") {
      (sent.data as RunEvents["evaluations"]).evaluations.forEach(print.evaluation);
    } else if (sent.event === "notices") {
      for (const { message } of (sent.data as RunEvents["notices"]).notices) print.notice(message);
    } else if (sent.event === "state") {
      const { run: now } = sent.data as RunEvents["state"];
      if (goesOn(now.status)) continue;
      done.abort();
      return print.end(now);
    }
  }
}

function printerOf({ style, emit, print, note }: Frame<object>, { updates }: RunItem) {
  const planned = updates?.planned === null || updates === null ? "" : `/${updates.planned}`;
  return {
    update: (update: number, values: Values): void => {
      emit({ kind: "update", update, ...values });
      const figures = SHOWN.flatMap((name) => {
        const value = values[name];
        if (value === undefined) return [];
        return name === "seconds" ? [style.dim(formatDuration(value * 1_000))] : [`${name} ${value.toFixed(2)}`];
      });
      print([`${style.dim("update")} ${update}${planned}`, ...figures].join("  "));
    },
    evaluation: (point: EvaluationPoint): void => {
      const { phase, update, value, low, high, tasks } = point;
      emit({ kind: "evaluation", phase, update, success: value, low, high, tasks });
      const figures = `${formatRate(point)} of ${plural(tasks, "task")}`;
      print(`${cleanLine(phase)} at update ${update}  success ${style.bold(figures)}`);
    },
    notice: (message: string): void => {
      emit({ kind: "notice", message });
      print(style.yellow(cleanLine(message)));
    },
    end: ({ status, updates: done }: RunItem): void => {
      emit({ kind: "end", status, updates: done });
      note(style.dim(done === null ? status : `${status} at update ${done.done}`));
    },
  };
}

async function lastUpdates(store: Store, run: string, last: number): Promise<[number, Values][]> {
  if (last === 0) return [];
  const names = SHOWN.map((name) => `'${name}'`).join(", ");
  const { rows } = await store.query(
    `select name, step, value from metrics where name in (${names})
     and step > (select max(step) from metrics where name = 'success') - ${last} order by step`,
    { run },
  );
  return byUpdate(
    rows.map(([name, step, value]) => ({ name: String(name), point: { x: Number(step), y: Number(value) } })),
  );
}

function byUpdate(values: RunEvents["metrics"]["values"]): [number, Values][] {
  const updates = new Map<number, Values>();
  for (const { name, point } of values) {
    const shown = SHOWN.find((one) => one === name);
    if (shown !== undefined) updates.set(point.x, { ...updates.get(point.x), [shown]: point.y });
  }
  return [...updates].toSorted(([left], [right]) => left - right);
}
