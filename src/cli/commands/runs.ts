/** `limbeck runs`: list runs, look at one, delete one, copy them elsewhere, keep those that rules name. */
import { EngineError } from "../../base/errors.ts";
import type { RunSummary, Store } from "../../store/store.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { padEnd } from "../look/text-width.ts";
import { formatBytes, plural } from "../look/units.ts";
import { flag, text } from "../options.ts";
import { usageError } from "../parse.ts";
import { copyRuns } from "../runs/copy-runs.ts";
import { keepRuns } from "../runs/keep-runs.ts";
import { listRuns, shortTime } from "../runs/list-runs.ts";
import { findRun, withStore } from "../with-store.ts";

export const runs: Command = {
  group: "look",
  summary: "List the runs of the store, show, delete, copy or keep some",
  usage:
    "[list [--last N] | show ID | delete ID [--yes] | copy FROM TO [--run ID] | keep --last N --younger TIME [--compact]]",
  description:
    "The beginning of an id is enough where only one run has it. Deleting asks first; without a terminal it needs --yes.\n" +
    "copy takes two stores, each a folder or an address like s3://bucket/runs; what is there already is not copied again. keep deletes every run that no rule keeps; a run stays when it is among the newest (--last) or young enough (--younger), when it goes on, or when it cannot be read.",
  arity: [0, 3],
  subcommands: {
    list: "Every run, newest last",
    show: "One run in full",
    delete: "Remove a run and all it holds",
    copy: "Copy runs into another store",
    keep: "Delete the runs that no rule keeps, and compact the others",
  },
  options: {
    last: text("N", "Only the newest so many. Default: 100, and with --json all"),
    run: text("ID", "Copy only this run. Default: every run"),
    younger: text("TIME", "Keep runs that were made so lately: 12h, 30d"),
    compact: flag("Merge small files of the runs that stay"),
    yes: { type: "boolean", short: "y", summary: "Delete without asking" },
  },
  examples: [
    "limbeck runs",
    "limbeck runs show 2026",
    "limbeck runs delete import-1 --yes",
    "limbeck runs copy runs s3://bucket/runs",
    "limbeck runs keep --last 20 --younger 30d --compact",
  ],
  jsonFields: {
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
    copied: "of a copy: false when the run was there already",
    files: "of a copy: files that were copied now",
  },
  run: (invocation) => {
    const [action = "list", id, ...more] = invocation.positionals;
    if (action === "list") {
      if (id !== undefined)
        throw usageError(`"limbeck runs list" takes no id; "limbeck runs show ${id}" shows one run.`);
      return withStore(invocation.storeRoot, (store) => listRuns(invocation, store), { keepOpen: true });
    }
    if (action === "copy") {
      const [to] = more;
      if (id === undefined || to === undefined) throw usageError('"limbeck runs copy" needs two stores: FROM and TO.');
      return copyRuns(invocation, { from: id, to });
    }
    if (action === "keep") {
      if (id !== undefined) throw usageError('"limbeck runs keep" takes rules, no id.');
      return withStore(invocation.storeRoot, (store) => keepRuns(invocation, store), { keepOpen: true });
    }
    if (id === undefined || more.length > 0) throw usageError(`"limbeck runs ${action}" needs the id of one run.`);
    return withStore(invocation.storeRoot, async (store) => {
      if (action === "show") return show(invocation, await findRun(store, id));
      return await remove(invocation, store, await findRun(store, id));
    });
  },
};

function show(invocation: Invocation, run: RunSummary): number {
  const { style } = invocation;
  if (invocation.json) {
    invocation.printJson(run);
    return EXIT.done;
  }
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
  for (const [name, value] of facts) invocation.print(`${style.dim(padEnd(name, 10))} ${value}`);
  invocation.print();
  invocation.print(
    style.dim(`Look inside: limbeck sql --run ${cleanLine(run.id)} "select id, reward from trajectories"`),
  );
  return EXIT.done;
}

async function remove(invocation: Invocation, store: Store, run: RunSummary): Promise<number> {
  const what = `run ${cleanLine(run.id)} (${plural(run.trajectories, "trajectory", "trajectories")}, ${formatBytes(run.bytes)})`;
  if (!invocation.flag("yes")) {
    const answer = await invocation.io.ask(`Delete ${what} for good? [y/N] `);
    if (answer === undefined) {
      throw new EngineError(
        "needs-yes",
        `Nobody can be asked here, so ${what} was not deleted. Add --yes to delete it.`,
      );
    }
    if (!/^y(es)?$/i.test(answer.trim())) {
      invocation.print("Kept.");
      return EXIT.failed;
    }
  }
  await store.deleteRun(run.id);
  if (invocation.json) invocation.printJson({ id: run.id, deleted: true });
  invocation.print(`Deleted ${what}.`);
  return EXIT.done;
}
