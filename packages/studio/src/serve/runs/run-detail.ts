/** One run in full. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Recent } from "limbeck-base/base/recent";
import { readEpisodes, type EpisodePair } from "limbeck-store/report/episodes";
import { differenceOf, movedOf, readPairs, type Pair } from "limbeck-store/report/pairs";
import { readRecord } from "limbeck-store/report/read-run";
import { placeOf, readSkills } from "limbeck-store/report/skills";
import { flatten } from "limbeck-store/report/settings";
import { labelOutcome } from "limbeck-core/skill/outcome";
import { quote } from "limbeck-store/store/migrations";
import type { RunSummary, Store } from "limbeck-store/store/store";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { BeforeAfter, CreditedGroup, RunDetail, Setting } from "../api/runs.ts";
import { dataOf, numberOr } from "./cells.ts";
import { clip } from "../trajectories/long-text.ts";
import { curvesOf } from "./curves.ts";
import { evaluationOf } from "./run-facts.ts";
import { keyOf, type RunList } from "./run-list.ts";

const SHOWN_GROUPS = 200;
const SHOWN_NOTICES = 200;

/** Runs whose rows are cached: enough for a comparison, and for the one that is polled. */
const REMEMBERED = 8;

/** One run in full. What its rows say is read again only when the run has changed. */
export function createDetails(store: Store, runs: RunList): (id: string) => Promise<RunDetail> {
  const known = new Recent<Awaited<ReturnType<typeof readRows>>>(REMEMBERED);
  return async (id) => {
    const [item, summary] = [await runs.one(id), await runs.summary(id)];
    const skills = { written: 0, distinct: 0, shown: [] };
    const nothing = {
      curves: [],
      evaluations: [],
      notices: [],
      families: [],
      credited: [],
      examples: [],
      skills,
    };
    const settings = settingsOf([summary.config]);
    const hasModel = await isFile(join(store.root, id, "model", "config.json"));
    const plain = { ...item, config: summary.config, settings, hasModel };
    // A broken run still shows what it was, and why it cannot be read.
    if (item.problem !== null) return { ...plain, ...nothing, change: null, moved: null, end: null };
    return { ...plain, ...(await known.get(id, () => readRows(store, summary), keyOf(summary))) };
  };
}

async function readRows(store: Store, summary: RunSummary) {
  const { id } = summary;
  // At once: each is a query of its own.
  const [record, events, pairs, skills, credited] = await Promise.all([
    readRecord(store, summary, id, 0),
    store.query("select kind, data, time from events where kind in ('evaluation', 'notice') order by time", {
      run: id,
    }),
    readPairs(store, id),
    tellingSkills(store, id),
    creditedGroups(store, id),
  ]);
  const of = (kind: string): (readonly unknown[])[] => events.rows.filter((row) => row[0] === kind);
  const evaluations = of("evaluation").flatMap(([, data]) => evaluationOf(dataOf(data)));
  return {
    curves: curvesOf(record, evaluations),
    evaluations,
    notices: of("notice").flatMap(noticeOf).slice(-SHOWN_NOTICES),
    change: differenceOf(pairs.map(({ before, after }) => [after.success, before.success])) ?? null,
    moved: pairs.length === 0 ? null : movedOf(pairs),
    families: familiesOf(pairs),
    examples: (await readEpisodes(store, id, pairs)).map(exampleOf),
    skills,
    credited,
    end: record.end === undefined ? null : { reason: record.end.reason, update: record.end.update },
  };
}

const noticed = z.object({ update: z.number(), message: z.string() });

export function noticeOf([, data, time]: readonly unknown[]): RunDetail["notices"] {
  const read = noticed.safeParse(dataOf(data));
  return read.success ? [{ ...read.data, time: String(time) }] : [];
}

function familiesOf(pairs: readonly Pair[]): RunDetail["families"] {
  const families = [...new Set(pairs.flatMap(({ family }) => family ?? []))].toSorted();
  return families.map((family) => {
    const own = pairs.filter((pair) => pair.family === family);
    const share = (when: "before" | "after"): number => own.filter((pair) => pair[when].success).length / own.length;
    return { family, tasks: own.length, before: share("before"), after: share("after") };
  });
}

const SHOWN_STEPS = 60;
const LETTERS = 400;

function exampleOf({ title, goal, before, after }: EpisodePair): BeforeAfter {
  return { title, goal: clip(goal, LETTERS), before: sideOf(before), after: sideOf(after) };
}

function sideOf({ id, success, steps, closing }: Trajectory): BeforeAfter["before"] {
  return {
    trajectory: id,
    outcome: labelOutcome({ success }),
    total: steps.length,
    steps: steps.slice(0, SHOWN_STEPS).map(({ index, action, valid }, at) => {
      const seen = steps[at + 1]?.observation ?? closing?.observation ?? "";
      return { step: index, action: clip(action, LETTERS), valid, seen: clip(seen.trim(), LETTERS) };
    }),
  };
}

async function tellingSkills(store: Store, run: string): Promise<RunDetail["skills"]> {
  const { written, distinct, shown, actions } = await readSkills(store, run);
  const said = (trajectory: string, step: number | null): string | null =>
    step === null ? null : clip(actions.get(placeOf(trajectory, step)) ?? "", LETTERS) || null;
  return {
    written,
    distinct,
    shown: shown.map(({ text, step = null, evidence: _evidence, ...skill }) => ({
      ...skill,
      text: clip(text, LETTERS),
      step,
      said: said(skill.trajectory, step),
    })),
  };
}

async function creditedGroups(store: Store, run: string): Promise<CreditedGroup[]> {
  const found = await store.query(
    `select distinct data ->> 'group', cast(data ->> 'update' as integer) as update_number
     from events where kind = 'credit' order by update_number desc limit ${SHOWN_GROUPS}`,
    { run },
  );
  const pairs = found.rows.map(([group, update]) => `(${quote(String(group))}, ${Number(update)})`);
  if (pairs.length === 0) return [];
  const { rows } = await store.list(
    `select group_id, update_number, max(goal), count(*), count(*) filter (where success) from listed
     where run = ${quote(run)} and (group_id, update_number) in (values ${pairs.join(", ")})
     group by group_id, update_number order by update_number desc`,
    { run },
  );
  return rows.map(([group, update, goal, episodes, solved]) => ({
    group: String(group),
    update: numberOr(update) ?? 0,
    goal: String(goal),
    episodes: Number(episodes),
    solved: Number(solved),
  }));
}

/** Leaves of the configurations by dotted name, each with its value in every run. */
export function settingsOf(configs: readonly JsonObject[]): Setting[] {
  const flat = configs.map((config) => flatten(config));
  const names = [...new Set(flat.flatMap((one) => [...one.keys()]))];
  return names.map((name) => {
    const values = flat.map((one) => one.get(name) ?? null);
    return { name, values, differs: new Set(values).size > 1 };
  });
}

export async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
