/** Which branches are alternatives from one frozen memory, and what each came to: the local groups of LoGo. */
import type { Json } from "limbeck-base/trajectory/trajectory";
import { defineProvider, withRows, withSignals } from "./provider.ts";

export const memorySnapshots = defineProvider({
  info: {
    title: "Memory snapshots",
    meaning: "Reads from each branch which state it went on from and what it earned, as the strategy has noted it.",
    cost: "nothing; the alternatives are the strategy's",
    departures: [
      "The strategy `counterfactual` restores the state and samples again; memory is part of the state.",
      "Only the first step of an alternative belongs to the local group: what follows starts from other states.",
    ],
  },
  supplies: ["snapshots"],
  options: {},
  provide: async (batch, episodes) => {
    const noted = new Map(
      episodes.flatMap(({ id, info, steps }) => {
        const snapshot = readSnapshot(info?.["snapshot"]);
        const first = steps[0]?.index;
        return snapshot === undefined || first === undefined ? [] : [[id, { snapshot, first }] as const];
      }),
    );
    const provided = withRows(batch, (row) => {
      const own = noted.get(row.trajectory);
      return own === undefined || own.first !== row.step ? row : withSignals(row, { snapshot: own.snapshot });
    });
    return { batch: provided, metrics: { alternatives: noted.size } };
  },
});

function readSnapshot(value: Json | undefined): { readonly id: string; readonly reward: number } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { id, reward } = value as { readonly [key: string]: Json };
  return typeof id === "string" && typeof reward === "number" ? { id, reward } : undefined;
}
