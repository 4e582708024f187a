/**
 * RaPO: a task, then another. What is left of the first when the second is learned to the same success?
 *
 *     npx tsx research/proofs/task-after-task.ts --jobs 16
 *
 * Household's errands in two halves. Both arms train on the first half, then on the second, as `limbeck train --next`
 * does. In the second part both halves are measured again and again, so that the arms can be compared where the second half
 * is solved equally often.
 */
import { join } from "node:path";
import { trainInTurn } from "limbeck/training";
import type { Trained } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { commonFit, differenceWords, keptAt, signed, type Point } from "./matched.ts";

const FIRST = ["pick_and_place_simple", "look_at_obj_in_light", "pick_clean_then_place_in_recep"];
const SECOND = ["pick_heat_then_place_in_recep", "pick_cool_then_place_in_recep", "pick_two_obj_and_place"];
const UPDATES = 20;
const MORE = [4, 8, 12, 16, 20];

interface Result {
  /** Success in the first half when its own training ended. */
  readonly had: number;
  /** `fit` is the success in the second half, `kept.first` that in the first. */
  readonly points: readonly Point[];
}

async function run({ arm, seed, quick, dir }: OneRun): Promise<Result> {
  const worldOf = (families: readonly string[]) => ({ env: "household", envOptions: { dial: "tiny", families } });
  const options = {
    ...worldOf(FIRST),
    recipe: "grpo",
    credit: arm,
    seed,
    steps: quick ? 1 : UPDATES,
    settings: quick ? { tasks: 1, group: 2, maxSteps: 2 } : { tasks: 8, group: 8 },
    validation: { every: 0 },
    report: { tasks: quick ? 2 : 150 },
    threads: 1,
    keep: false,
    dir: join(dir, "turn"),
    resume: true,
  } as const;
  const points: Point[] = [];
  let had = Number.NaN;
  for (const updates of quick ? [1, 2] : MORE) {
    // What is done already is not done again: the second training goes on where it was.
    const { tasks, kept } = await trainInTurn(options, [{ ...worldOf(SECOND), steps: updates }]);
    const [first, second] = tasks as [Trained, Trained];
    had = first.after.success ?? Number.NaN;
    if (points.length === 0)
      points.push({ updates: 0, fit: second.before.success ?? Number.NaN, kept: { first: had } });
    const left = kept[0]?.evaluation.success ?? Number.NaN;
    points.push({ updates, fit: second.after.success ?? Number.NaN, kept: { first: left } });
  }
  return { had, points };
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  print("| arm | seed | first half, trained | second half before and after | first half after the second |");
  print("| --- | ---: | ---: | ---: | ---: |");
  for (const { arm, seed, result } of results) {
    const [start, end] = [result.points[0], result.points.at(-1)] as [Point, Point];
    const second = `${start.fit.toFixed(3)} to ${end.fit.toFixed(3)}`;
    print(`| ${arm} | ${seed} | ${result.had.toFixed(3)} | ${second} | ${end.kept["first"]?.toFixed(3)} |`);
  }
  const drops = [...new Set(results.map(({ seed }) => seed))].flatMap((seed) => {
    const of = (wanted: string) => results.find(({ arm, seed: own }) => arm === wanted && own === seed)?.result;
    const [plain, held] = [of("grpo"), of("rapo")];
    if (plain === undefined || held === undefined) return [];
    const fit = commonFit([plain.points, held.points]);
    const drop = ({ had, points }: Result): number => had - (keptAt(points, fit, "first") ?? Number.NaN);
    return [{ fit, plain: drop(plain), held: drop(held) }];
  });
  if (drops.length === 0) return;
  print();
  print(`Where both solve the second half equally often (${mean(drops.map(({ fit }) => fit)).toFixed(3)} on average):`);
  print(
    `- drop on the first half, grpo ${signed(mean(drops.map(({ plain }) => plain)))}, rapo ${signed(mean(drops.map(({ held }) => held)))}`,
  );
  print(`- rapo minus grpo ${differenceWords(drops.map(({ plain, held }) => held - plain))}`);
  print();
}

await runStudy<Result>({ name: "task-after-task", arms: ["grpo", "rapo"], run, report });
