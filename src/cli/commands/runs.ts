/** `limbeck runs`: list runs, look at one, delete one. */
import { EngineError } from "../../base/index.ts";
import type { RunSummary, Store } from "../../store/store.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, right } from "../look/table.ts";
import { padEnd } from "../look/text-width.ts";
import { formatBytes, formatCount, plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { findRun, withStore } from "../with-store.ts";

export const runs: Command = {
  group: "look",
  summary: "List the runs of the store, show one, delete one",
  usage: "[list | show ID | delete ID [--yes]]",
  description:
    "The beginning of an id is enough where only one run has it. Deleting asks first; without a terminal it needs --yes.",
  arity: [0, 2],
  subcommands: { list: "Every run, newest last", show: "One run in full", delete: "Remove a run and all it holds" },
  options: { yes: { type: "boolean", short: "y", summary: "Delete without asking" } },
  examples: ["limbeck runs", "limbeck runs show 2026", "limbeck runs delete import-1 --yes"],
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
    steps: "steps in the run",
    metrics: "rows of metrics in the run",
    events: "events in the run",
    problem: "why the run cannot be read, when it cannot",
    deleted: "true after a deletion",
  },
  run: (invocation) => {
    const [action = "list", id, ...more] = invocation.positionals;
    if (action === "list") {
      if (id !== undefined)
        throw usageError(`"limbeck runs list" takes no id; "limbeck runs show ${id}" shows one run.`);
      return withStore(invocation.storeRoot, (store) => list(invocation, store));
    }
    if (id === undefined || more.length > 0) throw usageError(`"limbeck runs ${action}" needs the id of one run.`);
    return withStore(invocation.storeRoot, async (store) => {
      const run = await findRun(store, id);
      return action === "show" ? show(invocation, run) : await remove(invocation, store, run);
    });
  },
};

async function list(invocation: Invocation, store: Store): Promise<number> {
  const { style } = invocation;
  const found = await store.runs();
  if (invocation.json) {
    for (const run of found) invocation.printJson(run);
    return EXIT.done;
  }
  if (found.length === 0) {
    invocation.print(`No runs in ${cleanLine(store.root)}.`);
    invocation.note(style.dim("Bring some in: limbeck import FILE"));
    return EXIT.done;
  }
  printTable(
    invocation,
    [
      { title: "run", paint: (padded) => style.cyan(padded) },
      "kind",
      { title: "created (UTC)", paint: (padded) => style.dim(padded) },
      right("trajectories"),
      right("steps"),
      right("size"),
      { title: "", paint: (padded) => style.red(padded) },
    ],
    found.map((run) => [
      run.id,
      run.kind,
      shortTime(run.createdAt),
      formatCount(run.trajectories),
      formatCount(run.steps),
      formatBytes(run.bytes),
      run.problem === undefined ? "" : `✗ ${run.problem}`,
    ]),
  );
  const steps = found.reduce((sum, run) => sum + run.steps, 0);
  invocation.print();
  invocation.print(style.dim(`${plural(found.length, "run")}, ${plural(steps, "step")} in ${cleanLine(store.root)}`));
  return EXIT.done;
}

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

function shortTime(iso: string): string {
  return cleanLine(iso.slice(0, 16).replace("T", " "));
}
