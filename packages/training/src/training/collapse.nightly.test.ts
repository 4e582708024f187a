/** A training that unlearns everything says so, keeps the best weights and, where asked, ends. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { weightsHash } from "../../../../test/support/weights-hash.ts";
import { bundledModel } from "limbeck-policy/policy/local/bundled-model";
import { getRecipe } from "limbeck-core/recipe/registry";
import type { Recipe } from "limbeck-core/recipe/recipe";
import { collect } from "limbeck-core/update/collect";
import type { TrainEvent } from "./events.ts";
import { train } from "./train.ts";

const newFolder = temporaryFolders();
const grpo = getRecipe("grpo");

/** Plays only, up to an update; from then on it learns by a step that ruins any model. */
const ruined = (after: number): Recipe => ({
  ...grpo,
  update: async (update, settings) => {
    if (update.update <= after) await collect(update);
    else await grpo.update({ ...update, learningRate: 1 }, settings);
  },
});

const SMALL = { tasks: 2, group: 3, maxSteps: 12 };
const noticesOf = (events: readonly TrainEvent[]): string[] =>
  events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));

test("what was held before it is told in one line, with what to try, and the best weights are there", async () => {
  const dir = join(await newFolder(), "run");
  const events: TrainEvent[] = [];
  const { before, after } = await train({
    recipe: ruined(1),
    env: "household",
    steps: 2,
    settings: SMALL,
    validation: { every: 1, tasks: 12 },
    report: { tasks: 24 },
    threads: 1,
    dir,
    onEvent: (event) => events.push(event),
  });
  // Fewer than three are too few to speak of a collapse.
  expect([before.solved >= 3, after.success]).toEqual([true, 0]);
  const validations = events.flatMap((event) => (event.kind === "validation" ? [event] : []));
  // The start and the end are looked at too.
  expect(validations.map(({ update }) => update)).toEqual([0, 1, 2]);
  const best = `The best weights, those it began with, with validation success ${Number(validations[0]?.evaluation.success).toFixed(2)}, are kept in "${join(dir, "best")}".`;
  expect(noticesOf(events)).toEqual([
    `The training has collapsed: held-out success was ${Number(before.success).toFixed(2)} before it and is 0.00 now. Try a lower learningRate, --set klWeight=0.01 or --set clipNorm=0.5. ${best}`,
  ]);
  // Nothing was learned up to update 1.
  expect(await weightsHash(join(dir, "best"))).toBe(await weightsHash(bundledModel("household")));
  expect(await weightsHash(join(dir, "model"))).not.toBe(await weightsHash(bundledModel("household")));
}, 120_000);

test("doctor=stop ends a collapsed training, after the checkpoint", async () => {
  const dir = join(await newFolder(), "run");
  const events: TrainEvent[] = [];
  const run = train({
    recipe: ruined(3),
    env: "household",
    steps: 20,
    settings: { ...SMALL, doctor: "stop" } as never,
    validation: { every: 3, tasks: 6 },
    report: { tasks: 1 },
    threads: 1,
    dir,
    onEvent: (event) => events.push(event),
  });
  await expect(run).rejects.toMatchObject({ code: "training-collapsed", details: { update: 7 } });
  const updates = events.flatMap((event) => (event.kind === "update" ? [event.success] : []));
  // Update 4 still plays with the whole model and then ruins it; 5, 6 and 7 are the three zeros.
  expect([updates.length, updates.slice(4)]).toEqual([7, [0, 0, 0]]);
  expect(await weightsHash(join(dir, "best"))).toBe(await weightsHash(bundledModel("household")));
}, 120_000);
