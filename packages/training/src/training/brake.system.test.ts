/** A collapse that is planted in a real training is slowed, then stopped, and the best weights are there. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { weightsHash } from "../../../../test/support/weights-hash.ts";
import { bundledModel } from "limbeck-policy/policy/local/bundled-model";
import { getRecipe } from "limbeck-core/recipe/registry";
import type { Recipe } from "limbeck-core/recipe/recipe";
import type { TrainEvent } from "./events.ts";
import { train } from "./train.ts";

const newFolder = temporaryFolders();
const grpo = getRecipe("grpo");

/** From the second update on each step is large enough to ruin any model. */
const ruined: Recipe = {
  ...grpo,
  update: async (update, settings) => {
    const learningRate = update.update === 1 ? 0 : 1_000 * update.learningRate;
    await grpo.update({ ...update, learningRate }, settings);
  },
};

test("slowed, then stopped with the cause, and the best weights are those of the start", async () => {
  const dir = join(await newFolder(), "run");
  const events: TrainEvent[] = [];
  const end = await train({
    recipe: ruined,
    env: "household",
    steps: 20,
    settings: { tasks: 2, group: 3, maxSteps: 8, answerTokens: 8, learningRate: 1e-3 },
    validation: { every: 19, tasks: 6 },
    report: { tasks: 1 },
    threads: 1,
    dir,
    onEvent: (event) => events.push(event),
  });
  const notices = events.flatMap((event) =>
    event.kind === "notice" && event.message.includes("The brake") ? [event] : [],
  );
  expect(notices.map(({ message }) => /From here on|The training ends/.exec(message)?.[0])).toEqual([
    "From here on",
    "The training ends",
  ]);
  expect([end.reason, end.update]).toEqual(["stopped", notices[1]?.update]);
  expect(end.update).toBeLessThan(10);
  expect(notices[1]?.message).toContain(`are kept in "${join(dir, "best")}".`);
  const [slowed, ended] = notices.map(({ update }) => update) as [number, number];
  const rates = events.flatMap((event) => (event.kind === "update" ? [event.metrics["brake/rate"]] : []));
  expect(rates).toEqual([...Array.from({ length: slowed }), ...Array.from({ length: ended - slowed }, () => 0.3)]);
  expect(await weightsHash(join(dir, "best"))).toBe(await weightsHash(bundledModel("household")));
}, 240_000);
