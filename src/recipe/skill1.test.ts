import { join } from "node:path";
import { expect, test } from "vitest";
import { recipeContract } from "../../test/support/recipe-contract.ts";
import { smallPlan } from "../../test/support/small-training.ts";
import { temporaryFolders } from "../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../test/support/tiny-folder.ts";
import { createCorridor } from "../env/corridor.ts";
import { createWriter, type Writer } from "../skill/index.ts";
import { train, type TrainEvent } from "../training/index.ts";

recipeContract("skill1");

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
    given: { tasks: 2, group: 4, prompts: "rebuilt", answerTokens: 24, capacity: 5, learningRate: 1e-3 },
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

test("a text model adds its query and its text to the lists of every episode; one that is gone stops nothing", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"), 1, 640);
  const writes = { complete: async () => ({ text: "walk east", usage: {}, finish: "stop" as const }) };
  const gone = { complete: () => Promise.reject(new Error("nobody there")) };
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
