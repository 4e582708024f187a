import { join } from "node:path";
import { expect, test } from "vitest";
import { smallPlan } from "../../../../test/support/small-training.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { createCorridor } from "../env/corridor.ts";
import { shelfFromJson, type Shelf } from "../orchestrate/skills/shelf.ts";
import { openModel } from "limbeck-policy/policy/local/open-model";
import type { JsonObject } from "limbeck-base/base/json";
import type { Writer } from "../skill/skill.ts";
import { createWriter } from "../skill/writer/writer.ts";
import type { TrainEvent } from "limbeck-training/training/events";
import { train } from "limbeck-training/training/train";

const newFolder = temporaryFolders();

async function trained(
  model: string,
  dir: string,
  updates: number,
  resume: boolean,
  writer?: Writer,
): Promise<readonly TrainEvent[]> {
  const events: TrainEvent[] = [];
  const plan = smallPlan({
    recipe: "skill1",
    given: {
      tasks: 2,
      group: 4,
      prompts: "rebuilt",
      answerTokens: 24,
      capacity: 5,
      learningRate: 1e-3,
      judge: "later",
    },
    env: createCorridor({ rooms: 3, maxSteps: 4 }),
    envName: "corridor",
    model,
    dir,
    steps: updates,
    resume,
    report: { tasks: 2, split: "valid" },
    evaluationTemperature: 1,
    checkpointEvery: 1,
    ...(writer === undefined ? {} : { writer }),
    onEvent: (event) => events.push(event),
  });
  await train(plan);
  return events;
}

/** Weights and library of a run's checkpoint. */
async function heldBy(dir: string): Promise<{ readonly weights: Float32Array; readonly shelf: Shelf }> {
  const model = await openModel(join(dir, "model"), { threads: 1, resume: true });
  try {
    const { training } = model.progress as { readonly training: { readonly recipe: JsonObject | null } };
    return { weights: model.weights.flat.slice(), shelf: shelfFromJson(training.recipe) };
  } finally {
    await model.close();
  }
}

test("the library grows, is chosen from, keeps to its capacity, and survives a restart", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"), 1, 640);
  const events = await trained(join(root, "start"), join(root, "whole"), 3, false);
  const updates = events.filter((event) => event.kind === "update");
  // Nothing to choose from in the first update, a choice in every episode of the next ones.
  const chosen = updates.map(({ metrics, episodes }) => [metrics["provider/skill-segments/chosen"], episodes]);
  expect(chosen).toEqual([
    [0, 8],
    [8, 8],
    [8, 8],
  ]);
  expect(updates.every(({ metrics }) => metrics["provider/skill-segments/written"] === 8)).toBe(true);
  // What was written is judged once others have used it: nothing in the first update, something in the second.
  expect(updates[0]?.metrics["library/judged"]).toBe(0);
  expect(updates[1]?.metrics["library/judged"]).toBeGreaterThan(0);
  await trained(join(root, "start"), join(root, "stopped"), 2, false);
  await trained(join(root, "start"), join(root, "stopped"), 3, true);
  const [whole, stopped] = [await heldBy(join(root, "whole")), await heldBy(join(root, "stopped"))];
  expect(stopped).toEqual(whole);
  expect(whole.shelf.skills).toHaveLength(5);
  expect(whole.shelf.skills.some(({ uses }) => uses > 0)).toBe(true);
  expect(updates.at(-1)?.metrics["library/skills"]).toBe(5);
});

test("a text model adds its query and its text to the lists of every episode; one that is gone stops nothing", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"), 1, 640);
  const writes = { complete: async () => ({ text: "walk east", usage: {}, finish: "stop" as const }) };
  const gone = { complete: () => Promise.reject(new Error("offline")) };
  type Chat = Parameters<typeof createWriter>[0]["chat"];
  const written = async (name: string, chat: object): Promise<readonly number[][]> => {
    const writer = createWriter({ chat: chat as Chat });
    const events = await trained(join(root, "start"), join(root, name), 2, false, writer);
    return events.flatMap((event) =>
      event.kind === "update" ? [[event.metrics["writer/model"] ?? 0, event.metrics["writer/nobody"] ?? 0]] : [],
    );
  };
  // Eight episodes: a text each, and from the second update on a query each too.
  expect(await written("writes", writes)).toEqual([
    [8, 0],
    [16, 0],
  ]);
  expect(await written("gone", gone)).toEqual([
    [0, 8],
    [0, 16],
  ]);
});
