/** `limbeck runs list`: what each run is, how far it is, how often it succeeds. */
import type { RunItem } from "limbeck-studio/serve/api/runs";
import type { Store } from "limbeck-store/store/store";
import type { Frame } from "../command-of.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { printTable, right } from "../look/table.ts";
import { formatCount, formatDuration, formatRate, plural } from "limbeck-base/base/units";

/** Nobody reads more, and to look at each run takes a while. */
const LINES = 100;

export async function listRuns(frame: Frame<object>, store: Store, last: number | undefined): Promise<void> {
  const { style, emit, print } = frame;
  const { createRunList } = await import("limbeck-studio/serve/runs/run-list");
  const { storedWorldWords } = await import("limbeck-core/env/world-words");
  const list = createRunList(store, { now: () => new Date() });
  const newestFirst = (await list.listed()).map(({ summary }) => summary);
  const shown = newestFirst.slice(0, last ?? (frame.json ? newestFirst.length : LINES)).toReversed();
  if (shown.length === 0) {
    print(`No runs in ${cleanLine(store.root)}.`);
    frame.note(style.dim("Make one: limbeck demo, or limbeck train. Bring recorded ones in: limbeck import FILE"));
    return;
  }
  const rows: string[][] = [];
  for (const run of shown) {
    const item = await list.one(run.id);
    const { status, updates, success, before, stored, split, cost } = item;
    emit({ ...run, status, updates, success: success ?? stored, split, before, seconds: cost.seconds });
    rows.push(cellsOf({ ...item, env: item.env === null ? null : storedWorldWords(item.env) }));
  }
  printTable(
    frame,
    [
      { title: "run", paint: style.cyan },
      "what",
      "status",
      right("success"),
      right("episodes"),
      right("time"),
      { title: "created (UTC)", align: "right", paint: style.dim },
      { title: "", paint: style.red },
    ],
    rows,
  );
  const steps = shown.reduce((sum, run) => sum + run.steps, 0);
  const others = newestFirst.length - shown.length;
  const more = others === 0 ? "" : `; ${formatCount(others)} older (--last N shows so many)`;
  const aside = (await store.aside()).length;
  print();
  for (const { id } of shown.filter(({ problem }) => problem !== undefined)) {
    frame.note(
      `! Run ${cleanLine(id)} cannot be read and is left out elsewhere. Set it aside: limbeck runs set-aside ${cleanLine(id)}`,
    );
  }
  if (aside > 0) print(style.dim(`${plural(aside, "run")} set aside (limbeck runs set-aside ID --back)`));
  print(
    style.dim(`${plural(shown.length, "run")}, ${plural(steps, "step")} stored in ${cleanLine(store.root)}${more}`),
  );
}

function cellsOf(item: RunItem): string[] {
  // Of other runs the store knows the sum over episodes that were played side by side, which is no time of day.
  const seconds = item.updates === null ? null : item.cost.seconds;
  return [
    item.id,
    whatOf(item),
    statusOf(item),
    successOf(item),
    formatCount(item.trajectories),
    seconds === null ? "" : formatDuration(seconds * 1_000),
    shortTime(item.createdAt),
    item.problem === null ? "" : `✗ ${item.problem}`,
  ];
}

function whatOf({ kind, recipe, env }: RunItem): string {
  const maker = kind === "train" ? (recipe ?? kind) : kind;
  return env === null ? maker : `${maker} · ${env}`;
}

function statusOf({ status, updates }: RunItem): string {
  if (updates === null || status === "finished") return status;
  return `${status} at ${updates.done}${updates.planned === null ? "" : `/${updates.planned}`}`;
}

/** Held-out or validation success of a training, and what it began with; of other runs the share of judged episodes. */
function successOf({ success, before, stored, split }: RunItem): string {
  const now = success ?? stored;
  if (now === null) return "none judged";
  const figures = `${formatRate(now)}${success === null && split !== null ? ` ${split}` : ""}`;
  return before === null || before === success ? figures : `${before.value.toFixed(3)} → ${figures}`;
}

export function shortTime(iso: string): string {
  return cleanLine(iso.slice(0, 16).replace("T", " "));
}
