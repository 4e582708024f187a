/** `limbeck runs list`: what each run is, how far it is, how often it succeeds. */
import type { RunItem } from "../../serve/api/runs.ts";
import type { Store } from "../../store/store.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, right } from "../look/table.ts";
import { formatCount, formatDuration, formatRate, plural } from "../look/units.ts";
import { parseCount } from "../parse.ts";

/** Nobody reads more, and to look at each run takes a while. */
const LINES = 100;

export async function listRuns(invocation: Invocation, store: Store): Promise<number> {
  const { style } = invocation;
  const { createRunList } = await import("../../serve/runs/run-list.ts");
  const list = createRunList(store, { now: () => new Date() });
  const newestFirst = (await list.listed()).map(({ summary }) => summary);
  const text = invocation.text("last");
  const most = invocation.json ? newestFirst.length : LINES;
  const shown = newestFirst.slice(0, text === undefined ? most : parseCount(text, "last")).toReversed();
  if (invocation.json) {
    for (const run of shown) {
      const { status, updates, success, before, stored, split, cost } = await list.one(run.id);
      invocation.printJson({
        ...run,
        status,
        updates,
        success: success ?? stored,
        split,
        before,
        seconds: cost.seconds,
      });
    }
    return EXIT.done;
  }
  if (shown.length === 0) {
    invocation.print(`No runs in ${cleanLine(store.root)}.`);
    invocation.note(style.dim("Make one: limbeck demo, or limbeck train. Bring recorded ones in: limbeck import FILE"));
    return EXIT.done;
  }
  const { storedWorldWords } = await import("../../env/world-words.ts");
  const rows: string[][] = [];
  for (const run of shown) {
    const item = await list.one(run.id);
    rows.push(cellsOf({ ...item, env: item.env === null ? null : storedWorldWords(item.env) }));
  }
  printTable(
    invocation,
    [
      { title: "run", paint: (padded) => style.cyan(padded) },
      "what",
      "status",
      right("success"),
      right("episodes"),
      right("time"),
      { title: "created (UTC)", align: "right", paint: (padded) => style.dim(padded) },
      { title: "", paint: (padded) => style.red(padded) },
    ],
    rows,
  );
  const steps = shown.reduce((sum, run) => sum + run.steps, 0);
  const others = newestFirst.length - shown.length;
  const more = others === 0 ? "" : `; ${formatCount(others)} older (--last N shows so many)`;
  invocation.print();
  invocation.print(
    style.dim(`${plural(shown.length, "run")}, ${plural(steps, "step")} stored in ${cleanLine(store.root)}${more}`),
  );
  return EXIT.done;
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
