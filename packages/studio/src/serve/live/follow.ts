/** The event stream of a run: its commit log is followed, so that it does not matter which process writes. */
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError, isAbort } from "limbeck-base/base/errors";
import { quote } from "limbeck-store/store/migrations";
import type { Store } from "limbeck-store/store/store";
import { runEvents, storeEvents } from "../api/live.ts";
import type { RunItem } from "../api/runs.ts";
import { goesOn } from "../shown.ts";
import type { EventSource, SentEvent } from "../http/event-stream.ts";
import { dataOf, numberOr } from "../runs/cells.ts";
import type { ListedRun } from "../runs/choose-runs.ts";
import { noticeOf } from "../runs/run-detail.ts";
import { evaluationOf } from "../runs/run-facts.ts";
import { ignoreGone, type RunList } from "../runs/run-list.ts";
import { ITEM_COLUMNS, itemOf } from "../trajectories/list.ts";

export interface FollowOptions {
  readonly store: Store;
  readonly runs: RunList;
  /** Between two looks at the log. */
  readonly everyMs: number;
}

const SHOWN_TRAJECTORIES = 50;
/** Looks without news until a sign of life is sent. */
const QUIET_LOOKS = 30;
/** A look at a large store is followed by a pause of so many times its length. */
const SHARE_OF_LOOKS = 10;

/** Rows of each table that were sent: the place in the run, which compaction does not move. */
interface SentRows {
  readonly trajectories: number;
  readonly metrics: number;
  readonly events: number;
}

export function followRun({ store, runs, everyMs }: FollowOptions, run: string, last: string | undefined): EventSource {
  return async function* events(signal): AsyncGenerator<SentEvent | undefined> {
    const item = await runs.one(run);
    let place = placeOf(last) ?? (await endOf(runs, run));
    let state = textOf(item);
    const made = item.createdAt;
    yield { event: "hello", id: idOf(place), data: runEvents.hello.parse({ commit: item.commits, run: item }) };
    for (let quiet = 0; !signal.aborted; quiet += 1) {
      const now = await runs.one(run);
      if (now.createdAt !== made) throw new EngineError("no-run", `Run "${run}" was deleted and made again.`);
      if (now.problem !== null) throw new EngineError("segment-damaged", now.problem);
      const news = await readNews(store, run, place, await endOf(runs, run));
      ({ place } = news);
      for (const sent of news.sent) yield { ...sent, id: idOf(place) };
      const line = textOf(now);
      if (line !== state) yield { event: "state", id: idOf(place), data: runEvents.state.parse({ run: now }) };
      if (news.sent.length > 0 || line !== state) quiet = 0;
      state = line;
      if (quiet % QUIET_LOOKS === QUIET_LOOKS - 1) yield undefined;
      if (!(await pause(everyMs, signal))) return;
    }
  };
}

/** What is read of runs is read of those alone that have changed, or that were going on and may have stopped. */
export function followStore({ runs, everyMs }: FollowOptions): EventSource {
  return async function* events(signal): AsyncGenerator<SentEvent | undefined> {
    let known = new Map((await runs.listed()).map((run) => [run.summary.id, lineOf(run)]));
    const going = new Map<string, string>();
    yield { event: "changes", data: storeEvents.changes.parse({ runs: [], gone: [] }) };
    let pauseMs = everyMs;
    for (let quiet = 1; !signal.aborted; quiet += 1) {
      if (!(await pause(pauseMs, signal))) return;
      const begun = performance.now();
      const now = new Map((await runs.listed()).map((run) => [run.summary.id, lineOf(run)]));
      const gone = [...known.keys()].filter((id) => !now.has(id));
      const changed = [...now].flatMap(([id, line]) => (known.get(id) === line ? [] : [id]));
      known = now;
      const news = await newsOf(runs, new Set(changed), going);
      pauseMs = Math.max(everyMs, (performance.now() - begun) * SHARE_OF_LOOKS);
      if (news.length > 0 || gone.length > 0) {
        yield { event: "changes", data: storeEvents.changes.parse({ runs: news, gone }) };
      } else if (quiet % QUIET_LOOKS === 0) yield undefined;
    }
  };
}

/** What is known of a run without reading its rows, as one text. */
function lineOf({ summary: { createdAt, commits, problem = "" }, labels }: ListedRun): string {
  return `${createdAt} ${commits} ${labels.version} ${problem}`;
}

/** `going` holds the runs that were going on at the last look, as they were. */
async function newsOf(runs: RunList, changed: ReadonlySet<string>, going: Map<string, string>): Promise<RunItem[]> {
  const news: RunItem[] = [];
  for (const id of new Set([...changed, ...runs.running(), ...going.keys()])) {
    const item = await runs.one(id).catch(ignoreGone);
    const [before, line] = [going.get(id), item === undefined ? "" : textOf(item)];
    if (goesOn(item?.status)) going.set(id, line);
    else going.delete(id);
    if (item === undefined) continue;
    const isNews = before === undefined ? !goesOn(item.status) : before !== line;
    if (isNews || changed.has(id)) news.push(item);
  }
  return news;
}

/** A commit touches the folder before it can be seen, so that the time alone is no news. */
function textOf(item: RunItem): string {
  return JSON.stringify({ ...item, changedAt: null });
}

/** False when the signal has fired. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
    return true;
  } catch (error) {
    if (isAbort(error)) return false;
    throw error;
  }
}

function idOf({ trajectories, metrics, events }: SentRows): string {
  return `${trajectories}.${metrics}.${events}`;
}

function placeOf(id: string | undefined): SentRows | undefined {
  const [, trajectories, metrics, events] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(id ?? "") ?? [];
  if (trajectories === undefined) return undefined;
  return { trajectories: Number(trajectories), metrics: Number(metrics), events: Number(events) };
}

async function endOf(runs: RunList, run: string): Promise<SentRows> {
  const { trajectories, metrics, events } = await runs.summary(run);
  return { trajectories, metrics, events };
}

async function readNews(
  store: Store,
  run: string,
  place: SentRows,
  end: SentRows,
): Promise<{ readonly place: SentRows; readonly sent: readonly SentEvent[] }> {
  const scope = { run, after: place };
  const sent: SentEvent[] = [];
  if (end.metrics > place.metrics) {
    const { rows } = await store.query("select name, step, value from metrics", scope);
    const values = rows.flatMap(([name, step, value]) => {
      const y = numberOr(value);
      return y === null ? [] : [{ name: String(name), point: { x: Number(step), y } }];
    });
    if (values.length > 0) sent.push({ event: "metrics", data: runEvents.metrics.parse({ values }) });
  }
  if (end.events > place.events) {
    const { rows } = await store.query(
      "select kind, data, time from events where kind in ('evaluation', 'notice')",
      scope,
    );
    const evaluations = rows.flatMap(([kind, data]) => (kind === "evaluation" ? evaluationOf(dataOf(data)) : []));
    const notices = rows.flatMap((row) => (row[0] === "notice" ? noticeOf(row) : []));
    if (evaluations.length > 0) sent.push({ event: "evaluations", data: runEvents.evaluations.parse({ evaluations }) });
    if (notices.length > 0) sent.push({ event: "notices", data: runEvents.notices.parse({ notices }) });
  }
  const count = end.trajectories - place.trajectories;
  if (count > 0) {
    const { rows } = await store.list(
      `select ${ITEM_COLUMNS} from listed where run = ${quote(run)} and place between ${place.trajectories}
         and ${end.trajectories - 1} order by place desc limit ${SHOWN_TRAJECTORIES}`,
      { run },
    );
    const trajectories = rows.map(itemOf);
    sent.push({ event: "trajectories", data: runEvents.trajectories.parse({ count, trajectories }) });
  }
  return { place: end, sent };
}
