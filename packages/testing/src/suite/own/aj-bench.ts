/**
 * Judges of finished work, as in AJ-Bench: honest runs at a desk, runs that claim what they did not do, and runs of a clerk who
 * takes the first variant at hand. All end in the same words; what a judge says of each is held against the world.
 */
import { proberOf } from "../probe.ts";
import type { SuiteInput } from "../suite.ts";
import { changesBooks, DESK, desk, errands, looksAt, type Errand } from "./desk.ts";
import type { MadeSuite } from "./made-suite.ts";

/** `record` believes what it reads. */
export function ajBench(by: "probe" | "record"): MadeSuite {
  const meaning =
    by === "probe"
      ? "Whether a judge that asks the world tells honest runs from those that only claim: --policy perfect plays them."
      : "The same runs for a judge that reads the record alone.";
  return { meaning, make: async () => await makeRuns(by, meaning) };
}

async function makeRuns(by: string, meaning: string): Promise<SuiteInput> {
  const careless = await (await desk()).play("careless");
  const tasks: SuiteInput["tasks"] = [];
  for (const errand of await errands()) {
    const { at, lines, trajectory } = errand;
    const grader = { use: "verdict", options: { by, queries: [...(await queriesFor(errand))] } };
    const writes = new Set(trajectory.steps.filter(changesBooks).map(({ action }) => action));
    const other = careless[at]?.steps.map(({ action }) => action) ?? [];
    const runs = {
      honest: lines,
      claimed: lines.filter((line) => !writes.has(line)),
      ...(other.join("\n") === lines.join("\n") ? {} : { careless: other }),
    };
    // Runs of one task are played in places of their own.
    for (const [place, [kind, run]] of Object.entries(runs).entries()) {
      const shared = { world: DESK.world, options: DESK.options, split: DESK.split, at, maxSteps: 30 - place };
      tasks.push({ ...shared, id: `${kind}/${at}`, grader, solution: run.join("\n"), buckets: [kind] });
    }
  }
  return { suite: `aj-bench-${by}`, meaning, tasks };
}

/** What the books show after the right run. */
async function queriesFor({ trajectory }: Errand) {
  const { probe, close } = proberOf((await desk()).env, trajectory);
  const queries: { readonly ask: string; readonly holds: string }[] = [];
  for (const ask of looksAt(trajectory)) queries.push({ ask, holds: `^${escaped(await probe(ask))}$` });
  await close();
  return queries;
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
