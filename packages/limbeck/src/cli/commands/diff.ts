/** `limbeck diff`: what two runs were made with and came to, where they differ. */
import { input } from "limbeck-base/base/input";
import type { RunSummary, Store } from "limbeck-store/store/store";
import { defineCommand } from "../command-of.ts";
import { printTable, right } from "../look/table.ts";
import { formatNumber } from "limbeck-base/base/units";
import { findRun, withStore } from "../with-store.ts";

export const diff = defineCommand({
  group: "look",
  summary: "Two runs side by side: the settings and figures that differ",
  description:
    "Settings are what the runs were made with, by dotted name. Figures are the newest value of each metric, how many trajectories and steps there are, and the share of judged episodes that succeeded. The beginning of an id is enough where only one run has it.",
  input: {
    left: input.text("RUN", "One run", { at: 0, required: true }),
    right: input.text("RUN", "The other run", { at: 1, required: true }),
    all: input.flag("Also what is the same in both"),
  },
  examples: ["limbeck diff first second", "limbeck diff first second --all --json"],
  line: {
    kind: "setting or figure",
    name: "its name",
    left: "its value in the first run, or null",
    right: "its value in the other, or null",
    change: "of a figure that both have: how much larger it is in the other; else null",
  },
  run: async (given, frame) => {
    const { settingsOf } = await import("limbeck-studio/serve/runs/run-detail");
    await withStore(frame.storeRoot, async (store) => {
      const [one, two] = [await findRun(store, given.left), await findRun(store, given.right)];
      const [before, after] = [await figuresOf(store, one), await figuresOf(store, two)];
      const settings = settingsOf([one.config, two.config]).map(({ name, values }) => {
        const [left = null, right = null] = values;
        return { kind: "setting", name, left, right, change: null };
      });
      const figures = [...new Set([...before.keys(), ...after.keys()])].sort().map((name) => {
        const [left = null, right = null] = [before.get(name), after.get(name)];
        return { kind: "figure", name, left, right, change: left === null || right === null ? null : right - left };
      });
      const rows = [...settings, ...figures].filter(({ left, right }) => given.all || left !== right);
      for (const row of rows) frame.emit(row);
      if (rows.length === 0) return frame.print("They differ in nothing.");
      const columns = [
        "kind",
        { title: "name", paint: frame.style.bold },
        right(one.id),
        right(two.id),
        right("change"),
      ];
      const cells = rows.map((row) => [row.kind, row.name, ...[row.left, row.right, row.change].map(cellOf)]);
      printTable(frame, columns, cells);
    });
  },
});

async function figuresOf(store: Store, { id: run, trajectories, steps }: RunSummary): Promise<Map<string, number>> {
  const metrics = await store.query(
    `select name, value from (
       select name, value, row_number() over (partition by name order by step desc, time desc) as again from metrics
     ) where again = 1`,
    { run, trusted: true },
  );
  const judged = await store.query(
    "select avg(case when success then 1.0 else 0.0 end) from trajectories where success is not null",
    {
      run,
      trusted: true,
    },
  );
  const all: (readonly unknown[])[] = [
    ["trajectories", trajectories],
    ["steps", steps],
    ["success", judged.rows[0]?.[0]],
    ...metrics.rows,
  ];
  return new Map(all.flatMap(([name, value]) => (typeof value === "number" ? [[String(name), value] as const] : [])));
}

function cellOf(value: unknown): string {
  if (value === null) return "-";
  return typeof value === "number" ? formatNumber(value) : JSON.stringify(value);
}
