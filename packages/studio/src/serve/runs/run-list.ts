/** The list of runs. The facts of a run are read once for each of its commits, on request only. */
import { stat, rm } from "node:fs/promises";
import { join } from "node:path";
import { isObjectAddress } from "limbeck-base/base/object-address";
import type { WorldOptions } from "limbeck-core/env/world";
import { formerOptions } from "limbeck-core/env/named-world";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { mapLimit } from "limbeck-base/base/concurrency";
import type { RunSummary, Store } from "limbeck-store/store/store";
import { withOwnSql } from "limbeck-store/store/with-store";
import type { Answer } from "../api/endpoints.ts";
import type { EvaluationPoint, RunItem, RunStatus } from "../api/runs.ts";
import { goesOn } from "../shown.ts";
import { type LabelChange, type Labels, labels as schema, NO_LABELS } from "../api/labels.ts";
import { chooseRuns, type ListedRun, type RunsAsked } from "./choose-runs.ts";
import { readFacts, type Facts } from "./run-facts.ts";
import { isSettled, stampsOf, type Stamp } from "limbeck-base/base/stamps";
import { plainText } from "limbeck-base/base/plain-file";
import { createFile, namesIn } from "limbeck-core/skill/library/folder-files";

export interface BrokenRun {
  readonly run: string;
  readonly problem: string;
}

export interface RunList {
  /** What is known of every run without reading its rows, the newest first. */
  listed(): Promise<ListedRun[]>;
  /** Those rows of the list that are asked for. */
  page(asked: RunsAsked): Promise<Answer<"runs">>;
  /** Every run in full, the newest first; of a large store that takes minutes. */
  all(): Promise<RunItem[]>;
  /** The run of this id; "no-run" when it is not there (any more). */
  one(id: string): Promise<RunItem>;
  summary(id: string): Promise<RunSummary>;
  /** Tags, notes, pins or archives a run. */
  label(id: string, change: LabelChange): Promise<Labels>;
  /** Runs that cannot be read, as they were known some seconds ago. */
  broken(): Promise<BrokenRun[]>;
  /** Runs that were going on at the last read; they may have stopped since without a commit. */
  running(): readonly string[];
}

/** A training that has been silent for longer than this, and than several of its updates, has been stopped. */
const SILENT_MS = 120_000;
const SILENT_UPDATES = 5;
/** Before its first commit a training opens its model and measures its held-out tasks, which takes long on a slow machine. */
const STARTING_MS = 900_000;
/** Other writers say nothing between commits either. */
const FRESH_MS = 10_000;
const AT_ONCE = 4;
const BROKEN_MS = 5_000;

export interface RunListOptions {
  readonly now: () => Date;
  /** Whether the process that wrote a run is known to have ended, so that its silence need not be waited out. Default: of none. */
  readonly isOver?: (run: string) => boolean;
}

export function createRunList(given: Store, { now, isOver = () => false }: RunListOptions): RunList {
  const store = withOwnSql(given);
  let looked = { at: Number.NEGATIVE_INFINITY, found: [] as BrokenRun[] };
  const labelShelf = createLabelShelf(store.root);
  const { shared, soon, running } = createItems(store, labelShelf, { now, isOver });
  const summary = async (id: string): Promise<RunSummary> => {
    const [found] = await store.runs({ only: id });
    if (found !== undefined) return found;
    throw new EngineError("no-run", `There is no run "${id}" in this store; it may have been deleted.`, {
      details: { run: id },
    });
  };
  const listed = async (): Promise<ListedRun[]> => {
    const summaries = await store.runs({ remembered: true });
    const labels = await labelShelf.readAll(summaries.map(({ id }) => id));
    return summaries
      .map((one, at) => ({ summary: one, labels: labels[at] as Labels }))
      .sort((left, right) => (left.summary.createdAt < right.summary.createdAt ? 1 : -1));
  };
  const items = async (
    runs: readonly ListedRun[],
    look: (summary: RunSummary) => Promise<RunItem>,
  ): Promise<RunItem[]> => {
    const found = await mapLimit(runs, AT_ONCE, ({ summary: one }) => look(one).catch(ignoreGone));
    return found.filter((item) => item !== undefined);
  };
  /** What is remembered says which rows; what stands in them is looked at anew. */
  const anew = async ({ id }: RunSummary): Promise<RunItem> => await shared(await summary(id));
  /** How a run stands is not remembered, so that all of them must be looked at. */
  const standing = async (runs: readonly ListedRun[], status: RunStatus): Promise<ListedRun[]> => {
    const fits = new Set((await items(runs, anew)).flatMap((item) => (item.status === status ? [item.id] : [])));
    return runs.filter(({ summary: { id } }) => fits.has(id));
  };
  return {
    listed,
    page: async (asked) => {
      const { offset, limit, status, figures } = asked;
      const { chosen, ...told } = chooseRuns(await listed(), asked);
      const fitting = status === undefined ? chosen : await standing(chosen, status);
      const runs = await items(fitting.slice(offset, offset + limit), figures === "known" ? soon : anew);
      return { offset, limit, total: fitting.length, runs, ...told };
    },
    all: async () => await items(await listed(), anew),
    one: async (id) => await shared(await summary(id)),
    summary,
    label: async (id, change) => await labelShelf.change((await summary(id)).id, change),
    broken: async () => {
      if (now().getTime() - looked.at > BROKEN_MS) {
        const all = await store.runs({ remembered: true });
        const found = all.flatMap(({ id, problem }) => (problem === undefined ? [] : [{ run: id, problem }]));
        looked = { at: now().getTime(), found };
      }
      return looked.found;
    },
    running: () => [...running],
  };
}

interface Items {
  /** Concurrent requests for the same run share one reading. */
  readonly shared: (summary: RunSummary) => Promise<RunItem>;
  /** What is known already, for a page that must not wait; its figures may be of an earlier commit, or missing. */
  readonly soon: (summary: RunSummary) => Promise<RunItem>;
  readonly running: ReadonlySet<string>;
}

/** Rows of the list, each read from its run and remembered until the run has another commit. */
function createItems(store: Store, labels: LabelShelf, { now, isOver }: Required<RunListOptions>): Items {
  const known = new Map<string, { readonly key: string; readonly facts: Facts }>();
  const reading = new Map<string, Promise<RunItem>>();
  const running = new Set<string>();
  const shown = async (summary: RunSummary, told: Omit<ItemParts, "now">): Promise<RunItem> => {
    const item = { ...toItem(summary, { ...told, now: now() }), labels: await labels.read(summary.id) };
    const over = goesOn(item.status) && isOver(summary.id);
    if (goesOn(item.status) && !over) running.add(item.id);
    else running.delete(item.id);
    return over ? { ...item, status: "stopped" } : item;
  };
  const itemOf = async (summary: RunSummary): Promise<RunItem> => {
    const changedAt = await changed(store, summary.id);
    if (summary.problem !== undefined) return await shown(summary, { changedAt });
    const key = keyOf(summary);
    const remembered = known.get(summary.id);
    const facts = remembered?.key === key ? remembered.facts : await readFacts(store, summary, changedAt);
    known.set(summary.id, { key, facts });
    return await shown(summary, { changedAt, facts });
  };
  const guarded = async (summary: RunSummary): Promise<RunItem> => {
    try {
      return await itemOf(summary);
    } catch (error) {
      if (errorCode(error) === "no-run") throw error;
      // A segment of the right size with wrong bytes is only noticed when it is read.
      const problem = error instanceof Error ? error.message : String(error);
      return await shown({ ...summary, problem }, { changedAt: null });
    }
  };
  const shared = (summary: RunSummary): Promise<RunItem> => {
    const name = `${summary.id} ${keyOf(summary)}`;
    const begun = reading.get(name) ?? guarded(summary).finally(() => reading.delete(name));
    reading.set(name, begun);
    return begun;
  };
  const soon = async (summary: RunSummary): Promise<RunItem> => {
    const held = known.get(summary.id);
    if (summary.problem !== undefined || held?.key === keyOf(summary)) return await guarded(summary);
    const facts = held?.key.startsWith(`${summary.createdAt} `) === true ? held.facts : undefined;
    const told = { changedAt: await changed(store, summary.id), facts };
    return { ...(await shown(summary, told)), reading: true };
  };
  return { shared, soon, running };
}

export function keyOf({ createdAt, commits }: RunSummary): string {
  return `${createdAt} ${commits}`;
}

/** Undefined for a run that has gone since it was listed. */
export function ignoreGone(error: unknown): undefined {
  if (errorCode(error) === "no-run") return undefined;
  throw error;
}

async function changed(store: Store, run: string): Promise<string | null> {
  const { root } = store;
  if (isObjectAddress(root)) {
    // Object storage has no folder whose time could be read; the newest committed line gives it too.
    const newest = "select max(time) from (select time from metrics union all select time from events)";
    const { rows } = await store.query(newest, { run });
    return (rows[0]?.[0] as string | null | undefined) ?? null;
  }
  return await stat(join(root, run, "commits")).then(
    ({ mtime }) => mtime.toISOString(),
    () => null,
  );
}

interface ItemParts {
  readonly changedAt: string | null;
  readonly facts?: Facts | undefined;
  readonly now: Date;
}

function toItem(summary: RunSummary, { changedAt, facts, now }: ItemParts): Omit<RunItem, "labels"> {
  const { config } = summary;
  const word = (name: string): string | null => (typeof config[name] === "string" ? config[name] : null);
  const number = (name: string): number | null => (typeof config[name] === "number" ? config[name] : null);
  const evaluationOf = (phase: string): EvaluationPoint | undefined =>
    facts?.evaluations.findLast((one) => one.phase === phase);
  const nothing = { environmentSteps: null, sampledTokens: null, modelTokens: null, seconds: null, usd: null };
  return {
    id: summary.id,
    kind: summary.kind,
    createdAt: summary.createdAt,
    changedAt,
    status: statusOf(summary, changedAt, facts, now),
    recipe: word("recipe"),
    credit: word("credit"),
    env: worldOf(config),
    seed: number("seed"),
    updates: facts?.done === undefined ? null : { done: facts.done, planned: number("updates") },
    success: evaluationOf("after") ?? evaluationOf("validation") ?? evaluationOf("before") ?? null,
    before: evaluationOf("before") ?? null,
    stored: facts?.stored ?? null,
    split: facts?.split ?? null,
    trajectories: summary.trajectories,
    steps: summary.steps,
    bytes: summary.bytes,
    commits: summary.commits,
    cost: facts?.cost ?? nothing,
    problem: summary.problem ?? null,
    reading: false,
  };
}

/** As trainings store it; others keep the options beside the name. */
function worldOf({ env, envOptions }: RunSummary["config"]): string | null {
  if (typeof env !== "string") return null;
  return envOptions === undefined ? env : `${env} ${JSON.stringify(formerOptions(env, envOptions as WorldOptions))}`;
}

function statusOf(summary: RunSummary, changedAt: string | null, facts: Facts | undefined, now: Date): RunStatus {
  if (summary.problem !== undefined) return "broken";
  const silent = now.getTime() - Date.parse(changedAt ?? summary.createdAt);
  if (summary.commits === 0 && silent < STARTING_MS) return "starting";
  if (summary.kind !== "train") return silent < FRESH_MS ? "running" : "stored";
  // A finished training that was resumed has gone on past its end.
  if (facts?.end !== undefined && (facts.done ?? 0) <= facts.end.update) return "finished";
  const patience = Math.max(SILENT_MS, (facts?.updateSeconds ?? 0) * 1_000 * SILENT_UPDATES);
  return silent < patience ? "running" : "stopped";
}

// What people say of a run: tags, a note, pinned, archived. It lies beside what was recorded, in `labels/` of the
// run's folder, and never touches it. Each change is a file with the next number, which is created once, however
// many try; a change of what is no longer the newest is refused, so that no unseen change is overwritten.

interface LabelShelf {
  /** The labels of a run now; none where there are none. */
  read(run: string): Promise<Labels>;
  /** The same of many runs, in their order. */
  readAll(runs: readonly string[]): Promise<Labels[]>;
  change(run: string, change: LabelChange): Promise<Labels>;
}

const FOLDER = "labels";
/** Versions that are kept, as a history. */
const KEPT = 20;
const READS_AT_ONCE = 8;
const MANY = 200;
const LOOK_AGAIN_MS = 2_000;
const LOOKS = 10;

export function createLabelShelf(root: string): LabelShelf {
  const known = new Map<string, { readonly stamp: string; readonly labels: Labels }>();
  const labelsAt = async (run: string, stamp: Stamp): Promise<Labels> => {
    const held = known.get(run);
    if (held?.stamp === stamp.text) return held.labels;
    const labels = await readNewest(join(root, run, FOLDER));
    if (isSettled(stamp)) known.set(run, { stamp: stamp.text, labels });
    return labels;
  };
  /** Of many runs the folders are looked at now and then; changes made here are known at once. */
  let looked = { at: Number.NEGATIVE_INFINITY, tookMs: 0, stamps: new Map<string, Stamp | undefined>() };
  const foldersOf = async (runs: readonly string[]): Promise<(Stamp | undefined)[]> => {
    const begun = performance.now();
    const isFresh = begun - looked.at < Math.max(LOOK_AGAIN_MS, looked.tookMs * LOOKS);
    if (runs.length >= MANY && isFresh && runs.every((run) => looked.stamps.has(run))) {
      return runs.map((run) => looked.stamps.get(run));
    }
    const stamps = await stampsOf(runs.map((run) => join(root, run, FOLDER)));
    if (runs.length >= MANY) {
      const byRun = new Map(runs.map((run, at) => [run, stamps[at]]));
      looked = { at: begun, tookMs: performance.now() - begun, stamps: byRun };
    }
    return stamps;
  };
  const readAll = async (runs: readonly string[]): Promise<Labels[]> => {
    if (isObjectAddress(root)) return runs.map(() => NO_LABELS);
    const stamps = await foldersOf(runs);
    const labels = runs.map(() => NO_LABELS);
    // Most runs have no labels.
    const labelled = stamps.flatMap((stamp, at) => (stamp === undefined ? [] : [{ at, stamp }]));
    await mapLimit(labelled, READS_AT_ONCE, async ({ at, stamp }) => {
      labels[at] = await labelsAt(runs[at] ?? "", stamp);
    });
    return labels;
  };
  return {
    read: async (run) => (await readAll([run]))[0] ?? NO_LABELS,
    readAll,
    change: async (run, { version, ...change }) => {
      if (isObjectAddress(root)) {
        const wayOut = "Copy the run to a folder (limbeck runs copy) to label it";
        throw new EngineError(
          "needs-unmet",
          `Labels lie in a folder, and these runs are on object storage. ${wayOut}.`,
        );
      }
      const folder = join(root, run, FOLDER);
      const now = await readNewest(folder);
      const next = schema.parse({ ...now, ...change, tags: tidy(change.tags ?? now.tags), version: version + 1 });
      const isNewest = version === now.version;
      if (!isNewest || !(await createFile(join(folder, nameOf(next.version)), `${JSON.stringify(next)}\n`))) {
        throw new EngineError(
          "labels-changed",
          "Somebody else has labelled this run meanwhile. Look, and say it again.",
          {
            details: { run },
          },
        );
      }
      looked.at = Number.NEGATIVE_INFINITY;
      await forget(folder, next.version - KEPT);
      return next;
    },
  };
}

/** In the order of the alphabet, each once. */
function tidy(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ""))].toSorted();
}

function nameOf(version: number): string {
  return `${String(version).padStart(8, "0")}.json`;
}

async function readNewest(folder: string): Promise<Labels> {
  const names = (await namesIn(folder)).filter((name) => /^\d{8}\.json$/.test(name)).toSorted();
  for (const name of names.reverse()) {
    const number = Number(name.slice(0, 8));
    try {
      const found = schema.safeParse(JSON.parse(await plainText(join(folder, name))));
      if (found.success) return { ...found.data, version: number };
    } catch (error) {
      if (!(error instanceof SyntaxError) && errorCode(error) !== "ENOENT") throw error;
    }
    // A file edited into something invalid is skipped; its number stays taken.
    return { ...NO_LABELS, version: number };
  }
  return NO_LABELS;
}

async function forget(folder: string, last: number): Promise<void> {
  const old = (await namesIn(folder)).filter((name) => /^\d{8}\.json$/.test(name) && Number(name.slice(0, 8)) <= last);
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
}
