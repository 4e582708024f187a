/** `limbeck runs`: list runs, look at one, delete one, copy them elsewhere, keep those that rules name. */
import { input } from "limbeck-base/base/input";
import { resolvePlace } from "limbeck-base/base/object-address";
import { commandGroup, defineCommand } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { padEnd } from "../look/text-width.ts";
import { formatBytes, plural } from "limbeck-base/base/units";
import { keepRuns, mayDelete } from "../runs/keep-runs.ts";
import { listRuns, shortTime } from "../runs/list-runs.ts";
import { usageError } from "../parse.ts";
import { findRun, withStore } from "../with-store.ts";

const last = input.count("N", "Only the newest so many. Default: 100, and with --json all");
const yes = input.flag("Delete without asking", { short: "y" });
const id = input.text("ID", "The run, or the beginning of its id", { at: 0, required: true });
const line = {
  id: "id of the run",
  kind: "what made it: import, rollout, train, …",
  createdAt: "when, ISO 8601 in UTC",
  config: "what it was made with",
  schemaVersion: "version of the stored form",
  commits: "commits in the run",
  segments: "Parquet files in use",
  bytes: "size of those files",
  trajectories: "trajectories in the run",
  steps: "steps stored, those of held-out episodes included",
  metrics: "rows of metrics in the run",
  events: "events in the run",
  status: "running, finished, stopped (neither went on nor said that it ended), stored or broken",
  updates: "of a training: updates done and planned, or null",
  success: "newest held-out or validation success of a training, share of judged episodes of other runs; or null",
  split: "the one split of the judged episodes of a run that was no training, or null",
  before: "held-out success before the training, or null",
  seconds: "of a training: how long it took; of other runs the sum over episodes, or null",
  problem: "why the run cannot be read, when it cannot",
  deleted: "true after a deletion",
  aside: "whether the run is set aside",
  copied: "of a copy: false when the run was there already",
  files: "of a copy: files that were copied now",
} as const;
const shared = { group: "look", examples: [], line } as const;

const list = defineCommand({
  ...shared,
  summary: "Every run, newest last",
  input: { last },
  run: async (given, frame) =>
    await withStore(frame.store, async (store) => await listRuns(frame, store, given.last), { keepOpen: true }),
});

const show = defineCommand({
  ...shared,
  summary: "One run in full",
  input: { id },
  run: async (given, { emit, print, style, store: root }) => {
    const run = await withStore(root, async (store) => await findRun(store, given.id));
    emit(run);
    const facts: [string, string][] = [
      ["run", style.bold(cleanLine(run.id))],
      ["kind", cleanLine(run.kind)],
      ["created", `${shortTime(run.createdAt)} UTC`],
      ["holds", `${plural(run.trajectories, "trajectory", "trajectories")}, ${plural(run.steps, "step")}`],
      [
        "on disk",
        `${formatBytes(run.bytes)} in ${plural(run.segments, "segment")}, ${plural(run.commits, "commit")}, form ${run.schemaVersion}`,
      ],
    ];
    if (Object.keys(run.config).length > 0) facts.push(["made with", cleanLine(JSON.stringify(run.config))]);
    if (run.problem !== undefined) facts.push(["problem", style.red(cleanLine(run.problem))]);
    for (const [name, value] of facts) print(`${style.dim(padEnd(name, 10))} ${value}`);
    print();
    print(style.dim(`Look inside: limbeck traces --run ${cleanLine(run.id)}`));
  },
});

const remove = defineCommand({
  ...shared,
  summary: "Remove a run and all it holds",
  input: { id, yes },
  run: async (given, frame) =>
    await withStore(frame.store, async (store) => {
      const run = await findRun(store, given.id);
      const what = `run ${cleanLine(run.id)} (${plural(run.trajectories, "trajectory", "trajectories")}, ${formatBytes(run.bytes)})`;
      if (!(await mayDelete(frame, given.yes, what, ["was", "it"]))) return EXIT.failed;
      await store.deleteRun(run.id);
      frame.emit({ id: run.id, deleted: true });
      frame.print(`Deleted ${what}.`);
      return EXIT.done;
    }),
});

const setAside = defineCommand({
  ...shared,
  summary: "Leave a run out of everything that is about all runs, or take it back",
  input: { id, back: input.flag("Take it back") },
  run: async (given, { emit, print, style, store: root }) =>
    await withStore(root, async (store) => {
      // A run whose files cannot be read at all is known by its folder alone.
      const run = (await findRun(store, given.id)).id;
      await store.setAside(run, !given.back);
      emit({ id: run, aside: !given.back });
      const shown = cleanLine(run);
      if (given.back) return print(`Run ${shown} is back.`);
      print(`Run ${shown} is set aside; nothing of it was changed.`);
      print(style.dim(`Take it back: limbeck runs set-aside ${shown} --back. Remove it: limbeck runs delete ${shown}`));
    }),
});

const copy = defineCommand({
  ...shared,
  summary: "Copy runs into another store",
  input: {
    from: input.text("FROM", "The store to copy from", { at: 0, required: true }),
    to: input.text("TO", "The store to copy to", { at: 1, required: true }),
    run: input.text("ID", "Copy only this run. Default: every run"),
  },
  run: async ({ run: wanted, ...places }, { cwd, signal, style, emit, print, note }) => {
    const { copyRun } = await import("limbeck-store/store/copy-run");
    const [from, to] = [resolvePlace(cwd, places.from), resolvePlace(cwd, places.to)];
    const runs = await withStore(from, async (store) =>
      wanted === undefined ? await store.runs() : [await findRun(store, wanted)],
    );
    const broken = runs.filter(({ problem }) => problem !== undefined);
    for (const { id: run, problem } of runs) {
      if (problem !== undefined) {
        note(`! Left out run ${cleanLine(run)}: ${cleanLine(problem)}`);
        continue;
      }
      const { copied, files, bytes } = await copyRun({ from, to, run, signal });
      emit({ id: run, copied, files, bytes });
      const what = copied ? `${plural(files, "file")}, ${formatBytes(bytes)}` : "was there already";
      print(`${style.green("✓")} ${cleanLine(run)}  ${style.dim(what)}`);
    }
    print(style.dim(`${plural(runs.length - broken.length, "run")} in ${cleanLine(to)}`));
    return broken.length === 0 ? EXIT.done : EXIT.failed;
  },
});

const keep = defineCommand({
  ...shared,
  summary: "Delete the runs that no rule keeps, and compact the others",
  input: {
    last,
    younger: input.time("Keep runs that were made so lately: 12h, 30d"),
    compact: input.flag("Merge small files of the runs that stay"),
    yes,
  },
  run: async (given, frame) => {
    if (!["last", "younger", "compact"].some(frame.given))
      throw usageError('"limbeck runs keep" needs a rule: --last N, --younger TIME, or --compact alone.');
    return await withStore(frame.store, async (store) => await keepRuns(frame, store, given), { keepOpen: true });
  },
});

export const runs = commandGroup(
  "runs",
  { list, show, delete: remove, "set-aside": setAside, copy, keep },
  {
    group: "look",
    summary: "List the runs of the store, show, delete, set aside, copy or keep some",
    usage:
      "[list [--last N] | show ID | delete ID [--yes] | set-aside ID [--back] | copy FROM TO [--run ID] | keep --last N --younger TIME [--compact]]",
    description:
      "The beginning of an id is enough where only one run has it. Deleting asks first; without a terminal it needs --yes. A run that is set aside is in no list and no query over all runs, and otherwise stays as it is.\n" +
      "copy takes two stores, each a folder or an address like s3://bucket/runs; what is there already is not copied again. keep deletes every run that no rule keeps; a run stays when it is among the newest (--last) or young enough (--younger), when it goes on, or when it cannot be read.",
    examples: [
      "limbeck runs",
      "limbeck runs show 2026",
      "limbeck runs delete import-1 --yes",
      "limbeck runs copy runs s3://bucket/runs",
      "limbeck runs keep --last 20 --younger 30d --compact",
    ],
    otherwise: "list",
  },
);
