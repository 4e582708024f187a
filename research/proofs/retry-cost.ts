/**
 * R3L: environment steps for each success, retries from the pivot against fresh rollouts, on the same tasks. Nothing is trained.
 *
 *     npx tsx research/proofs/retry-cost.ts --jobs 16
 *     npx tsx research/proofs/retry-cost.ts --jobs 2 --seeds 531,532,533,534,535
 *
 * fresh: groups, nothing is begun again. retry: the world's demonstrator looks back. untold: the same pivots, and in the place of
 * what to do there a hint that says nothing. written, written-untold: the same with the bundled writer, a trained model.
 */
import { rollout } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import type { Writer } from "../../packages/core/src/skill/skill.ts";
import { openWriter } from "../../packages/core/src/skill/writer/open-writer.ts";
import { sectionTemplates } from "../../packages/core/src/skill/templates.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const ARMS = ["fresh", "retry", "untold", "written", "written-untold"];
const TASKS = 16;
const NOTHING = sectionTemplates.compact.step("It is a fine day outside.");

/** Who looks back in the place of the demonstrator; undefined: it does itself. */
async function writerOf(arm: string): Promise<Writer | undefined> {
  if (arm === "untold") return untelling({ id: "demonstrator", write: async ({ template }) => ({ value: await template?.(), by: "template", usage: {} }) }); // prettier-ignore
  if (!arm.startsWith("written")) return undefined;
  const bundled = await openWriter("bundled", { environment: {} });
  // Where it has nothing to say nobody says it: there is no demonstrator in these arms.
  const alone: Writer = { ...bundled, write: (writing, options) => bundled.write({ ...writing, template: () => undefined }, options) }; // prettier-ignore
  return arm === "written" ? alone : untelling(alone);
}

/** The same step, and nothing about what to do there. */
function untelling(writer: Writer): Writer {
  return {
    ...writer,
    write: async (writing, options) => {
      const written = await writer.write(writing, options);
      const { value } = written;
      return value === undefined ? written : { ...written, value: { ...value, guidance: NOTHING } };
    },
  };
}

/** What is compared with what. */
const PAIRS = [
  ["retry", "fresh"],
  ["retry", "untold"],
  ["untold", "fresh"],
  ["written", "fresh"],
  ["written", "written-untold"],
] as const;

interface Result {
  readonly steps: number;
  readonly solved: number;
  readonly episodes: number;
}

async function run({ arm, seed, quick }: OneRun): Promise<Result> {
  const writer = await writerOf(arm);
  const { trajectories } = await rollout({
    env: "household",
    strategy: arm === "fresh" ? "group" : "retry",
    group: quick ? 2 : 8,
    tasks: quick ? 1 : TASKS,
    ...(writer === undefined ? {} : { writer }),
    ...(quick ? { maxSteps: 3 } : {}),
    split: "train",
    offset: seed * 1_000,
    seed,
    threads: 1,
  });
  await writer?.close?.();
  return {
    // A branch holds only the steps that it took itself; those before the pivot are its parent's.
    steps: trajectories.reduce((total, { steps }) => total + steps.length, 0),
    solved: trajectories.filter(({ success }) => success === true).length,
    episodes: trajectories.length,
  };
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  const cost = ({ steps, solved }: Result): number => steps / Math.max(1, solved);
  print("| arm | seeds | episodes | solved | environment steps | steps for each success |");
  print("| --- | ---: | ---: | ---: | ---: | ---: |");
  const of = (arm: string) => results.filter((one) => one.arm === arm);
  for (const arm of ARMS) {
    const own = of(arm).map(({ result }) => result);
    const all = (value: (one: Result) => number): string => mean(own.map(value)).toFixed(1);
    print(
      `| ${arm} | ${own.length} | ${all(({ episodes }) => episodes)} | ${all(({ solved }) => solved)} | ${all(({ steps }) => steps)} | ${all(cost)} |`,
    );
  }
  print();
  for (const [on, off] of PAIRS) {
    const differences = of(on).flatMap(({ seed, result }) => {
      const base = of(off).find((one) => one.seed === seed)?.result;
      return base === undefined ? [] : [cost(result) - cost(base)];
    });
    if (differences.length > 0) print(`- steps for each success, ${on} minus ${off}: ${differenceWords(differences)}`);
  }
  print();
}

await runStudy<Result>({ name: "retry-cost", arms: ARMS, run, report });
