/**
 * A method of your own: how rewards become advantages, and the update around it.
 *
 *     npx tsx examples/own-method.ts            # trains for 20 updates
 *     npx tsx examples/own-method.ts --tiny     # one small update, to see it run
 */
import { credit, defineCredit, defineRecipe, option, rollout, train } from "limbeck";
import { collect, credit as giveCredit, learn } from "limbeck/update";

const tiny = process.argv.includes("--tiny");

/** Only the best episodes of a group teach anything: A = strength for those with its highest outcome, else 0. */
const bestOnly = defineCredit({
  info: {
    title: "Best only",
    paper: "Our own",
    confidence: "practice",
    meaning: "Follows the best episodes of a group, where not all are equal.",
    formula: ["A = strength where the outcome is the group's highest and not all are equal, else 0"],
    departures: [],
  },
  needs: [],
  options: { strength: option.number(1, "advantage of the best", { above: 0 }) },
  // What the contract suite of limbeck/testing checks: shifting rewards changes nothing, and so does scaling them.
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Two answers to one prompt, one of them right.",
    batch: {
      rows: [
        { task: "sum", trajectory: "right", step: 0, valid: true, mask: [1] },
        { task: "sum", trajectory: "wrong", step: 0, valid: true, mask: [1] },
      ],
      trajectories: { right: { outcome: 1, success: true }, wrong: { outcome: 0, success: false } },
    },
  },
  compute: ({ rows, trajectories }, { strength }) => {
    const outcome = (trajectory: string): number => trajectories.get(trajectory)?.outcome ?? 0;
    const [highest, lowest] = [new Map<string, number>(), new Map<string, number>()];
    for (const { task, trajectory } of rows) {
      highest.set(task, Math.max(highest.get(task) ?? -Infinity, outcome(trajectory)));
      lowest.set(task, Math.min(lowest.get(task) ?? Infinity, outcome(trajectory)));
    }
    const advantages_R = Float64Array.from(rows, ({ task, trajectory }) => {
      const best = highest.get(task) ?? 0;
      return best > (lowest.get(task) ?? 0) && outcome(trajectory) === best ? strength : 0;
    });
    return { terms: { best: { weight: 1, perRow: advantages_R } } };
  },
});

// 1. On trajectories: one advantage for every token, and the terms it is made of.
const { trajectories } = await rollout({ env: "household", policy: "wanderer", tasks: 2, group: 4 });
const { advantages, metrics } = credit({ method: bestOnly, of: trajectories });
process.stdout.write(`${advantages.length} rows of ${metrics["trajectories"]} episodes\n`);

// 2. A recipe is one readable function: what happens in one update. Here: play, give credit, learn.
const recipe = defineRecipe({
  info: { ...bestOnly.info, title: "Best only, twice" },
  credit: "grpo",
  settings: {},
  update: async (update) => {
    const episodes = await collect(update);
    const { rows } = await giveCredit(update, episodes);
    await learn(update, rows, "clipped");
  },
});

// 3. Both in a training, in the place of names.
const { before, after } = await train({
  env: "household",
  recipe,
  credit: bestOnly,
  steps: tiny ? 1 : 20,
  validation: { every: 0 },
  report: { tasks: tiny ? 2 : 64 },
  settings: tiny ? { tasks: 1, group: 2, maxSteps: 2 } : {},
});
process.stdout.write(`success before ${before.success}, after ${after.success}\n`);
