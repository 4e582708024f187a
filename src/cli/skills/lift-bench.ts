/** What a lift test needs: tasks, an agent that reads texts, and the arms. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { withoutUndefined } from "../../base/index.ts";
import { getWorld, type Env, type World } from "../../env/index.ts";
import { createArms, datasetEnv, readDataset, type RunArm } from "../../eval/lift/index.ts";
import { withOpening } from "../../walk/index.ts";
import { getSectionTemplate } from "../../skill/templates.ts";
import { skillOpening } from "../../skill/injection.ts";
import type { JsonObject, Task } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { loadWorldPart } from "../natives.ts";
import { givenCount, maybeCount, maybeNumber } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { givenValues } from "../play/world-options.ts";
import { chosenAgent, type ChosenAgent } from "../rollout/chosen-agent.ts";
import { chatJudge } from "./chat-judge.ts";

export interface Bench {
  readonly env: Env;
  readonly split: string;
  readonly offset: number;
  readonly chosen: ChosenAgent;
  readonly run: RunArm;
  readonly countTokens: (text: string) => number;
  readonly setting: JsonObject;
  readonly episodes: () => number;
}

/** Tasks that are looked at for each that fits; a skill for a rare kind of task must not search for ever. */
export const LOOKED_AT = 40;

export async function openBench(invocation: Invocation): Promise<Bench> {
  const envId = invocation.text("env");
  const dataset = invocation.text("dataset");
  if ((envId === undefined) === (dataset === undefined)) {
    throw usageError('"limbeck skills lift" needs either --env ID or --dataset FILE.');
  }
  const { env, world } = await openTasks(invocation, envId, dataset);
  const place = { command: "skills lift", world, env: envId ?? "a dataset" };
  const chosen = await chosenAgent(invocation, place);
  const { prompted } = chosen;
  if (prompted === undefined) {
    await chosen.close();
    throw usageError(
      `--policy ${invocation.text("policy")} is a script and reads no skills; use a model, bundled or chat.`,
    );
  }
  const split =
    invocation.text("split") ?? (Object.hasOwn(env.splits, "valid") ? "valid" : (Object.keys(env.splits)[0] ?? "all"));
  if (split === "train")
    invocation.note('! Skills may have been learnt on the tasks of "train"; lift there proves little.');
  const template = invocation.text("template") ?? "compact";
  const injection = { template: getSectionTemplate(template) };
  let episodes = 0;
  const seed = givenCount(invocation, "seed", 0, 0);
  const run = createArms({
    env,
    agentWith: (textFor) => prompted((prompting) => withOpening(prompting, skillOpening(textFor, injection))),
    seed,
    ...withoutUndefined({
      concurrency: maybeCount(invocation, "concurrency"),
      maxSteps: maybeCount(invocation, "max-steps"),
    }),
    signal: invocation.io.signal,
    onEpisode: () => (episodes += 1),
  });
  const envOptions = givenValues(invocation, "env-set");
  const setting = {
    env: envId ?? `dataset ${dataset}`,
    ...(Object.keys(envOptions).length === 0 ? {} : { envOptions }),
    split,
    policy: chosen.agent.ref.name,
    template,
    seed,
    ...withoutUndefined({ temperature: maybeNumber(invocation, "temperature", { low: 0 }) }),
  };
  const countTokens = chosen.countTokens ?? ((text: string) => Math.ceil(text.length / 4));
  const offset = givenCount(invocation, "offset", 0, 0);
  return { env, split, offset, chosen, run, countTokens, setting, episodes: () => episodes };
}

async function openTasks(
  invocation: Invocation,
  envId: string | undefined,
  dataset: string | undefined,
): Promise<{ readonly env: Env; readonly world: World }> {
  if (envId !== undefined) {
    const world = await getWorld(envId);
    await loadWorldPart(world);
    return { env: await world.create(givenValues(invocation, "env-set")), world };
  }
  const path = resolve(invocation.io.cwd, dataset ?? "");
  const rows = readDataset(await readFile(path, "utf8"), path);
  const judge = invocation.flag("judge") ? await chatJudge(invocation) : undefined;
  const env = datasetEnv(rows, judge);
  return { env, world: { create: () => env } as unknown as World };
}

export async function fittingTasks(
  invocation: Invocation,
  { env, split, offset }: Bench,
  fits: (task: Task) => boolean,
): Promise<Task[]> {
  const wanted = givenCount(invocation, "tasks", 240);
  const found: Task[] = [];
  const range = { offset, count: wanted * LOOKED_AT };
  for await (const task of env.tasks(split, range)) {
    if (fits(task)) found.push(task);
    if (found.length >= wanted) break;
  }
  return found;
}
