/** What a lift test needs: tasks, an agent that reads texts, and the arms. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { withoutUndefined } from "../../base/index.ts";
import { getWorld, type Env, type World } from "../../env/index.ts";
import { namedOptions } from "../../env/named-world.ts";
import { readAgentTasks } from "../../env/agent/tasks.ts";
import type { ReplayTask } from "../../record/replay/replay-set.ts";
import {
  createAgentArms,
  createArms,
  datasetEnv,
  placeboFor,
  readDataset,
  type LiftOptions,
  type RunArm,
} from "../../eval/lift/index.ts";
import { withOpening } from "../../walk/index.ts";
import { tokensOf, type Selector } from "../../record/recorder/selection/select.ts";
import { textOpening } from "../../skill/injection.ts";
import { promptForm, promptText, type PromptForm } from "../../skill/selection/prompt-text.ts";
import type { JsonObject, Task } from "../../trajectory/index.ts";
import { agentWorldOptions, type ProgramGiven } from "../agent/agent-options.ts";
import { commandWords } from "../agent/command-words.ts";
import { programInputs } from "../../run/program.inputs.ts";
import type { Invocation } from "../command.ts";
import { readInput } from "../command-of.ts";
import { cleanLine } from "../look/clean-text.ts";
import { loadWorldPart } from "../natives.ts";
import { givenCount, maybeCount, maybeNumber } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { givenValues } from "../play/world-options.ts";
import { chosenAgent } from "../rollout/chosen-agent.ts";
import { chatJudge } from "./chat-judge.ts";
import { mayRunChecks } from "./replay.ts";

export interface Bench {
  readonly env: Env;
  readonly split: string;
  readonly offset: number;
  readonly run: RunArm;
  readonly countTokens: (text: string) => number;
  /** How skills stand in a prompt of whoever plays. */
  readonly form: PromptForm;
  readonly setting: JsonObject;
  readonly episodes: () => number;
  /** Of an agent's own runs: time, and US dollars where they say so. */
  readonly spent?: { ms: number; costUsd: number };
  close(): Promise<void>;
}

/** Tasks that are looked at for each that fits; a skill for a rare kind of task must not search for ever. */
export const LOOKED_AT = 40;

export async function openBench(invocation: Invocation): Promise<Bench> {
  const [envId, dataset, own] = [invocation.text("env"), invocation.text("dataset"), invocation.text("agent")];
  if ((envId === undefined) === (dataset === undefined)) {
    throw usageError('"limbeck skills lift" needs either --env ID or --dataset FILE.');
  }
  if (own !== undefined && (dataset === undefined || invocation.flag("judge"))) {
    throw usageError(
      "--agent COMMAND needs --dataset FILE, whose lines are its tasks; its outcome decides, so leave out --env and --judge.",
    );
  }
  const asked = { ...readInput(programInputs(), invocation), maxSteps: maybeCount(invocation, "max-steps") };
  const program =
    own === undefined
      ? undefined
      : { ...agentWorldOptions(asked, ...splitAgent(own), invocation.io.cwd), taskChecks: true };
  const { env, world } = await openTasks(invocation, envId, dataset, program);
  const split =
    invocation.text("split") ?? (Object.hasOwn(env.splits, "valid") ? "valid" : (Object.keys(env.splits)[0] ?? "all"));
  if (split === "train" && dataset === undefined)
    invocation.note('! Skills may have been learnt on the tasks of "train"; lift there proves little.');
  const concurrency = maybeCount(invocation, "concurrency") ?? (program === undefined ? undefined : 1);
  const seed = givenCount(invocation, "seed", 0, 0);
  let episodes = 0;
  const onEpisode = (): void => {
    episodes += 1;
  };
  const place: ArmPlace = { env, world, envId, concurrency, seed, onEpisode };
  const arms =
    program !== undefined && invocation.text("policy") === undefined
      ? ownArms(invocation, place, program)
      : await policyArms(invocation, place);
  const envOptions = envId === undefined ? {} : namedOptions(envId, world, givenValues(invocation, "env-set"));
  const setting = {
    env: envId ?? `dataset ${dataset}`,
    ...(Object.keys(envOptions).length === 0 ? {} : { envOptions }),
    split,
    policy: arms.policy,
    ...withoutUndefined({ agent: own }),
    form: arms.form,
    seed,
    ...withoutUndefined({ temperature: maybeNumber(invocation, "temperature", { low: 0 }) }),
  };
  const offset = givenCount(invocation, "offset", 0, 0);
  return { ...arms, env, split, offset, setting, episodes: () => episodes };
}

interface ArmPlace {
  readonly env: Env;
  readonly world: World;
  readonly envId: string | undefined;
  readonly concurrency: number | undefined;
  readonly seed: number;
  readonly onEpisode: () => void;
}

interface Arms extends Pick<Bench, "run" | "countTokens" | "form" | "close" | "spent"> {
  /** Who acts, for the record. */
  readonly policy: string;
}

/** The agent's program with the model that it has; the skill stands in its prompt. */
function ownArms(invocation: Invocation, { concurrency, onEpisode }: ArmPlace, program: ProgramGiven): Arms {
  let isTold = false;
  const spent = { ms: 0, costUsd: 0 };
  const run = createAgentArms({
    ...program,
    ...withoutUndefined({ concurrency }),
    signal: invocation.io.signal,
    onRun: (_task, _success, lost, { ms, costUsd = 0 }) => {
      onEpisode();
      spent.ms += ms;
      spent.costUsd += costUsd;
      if (lost !== undefined && !isTold)
        invocation.note(`! A run was lost and counts in no arm: ${cleanLine(lost.message)}`);
      isTold ||= lost !== undefined;
    },
  });
  const close = (): Promise<void> => Promise.resolve();
  return { run, countTokens: tokensOf, form: "section", policy: "the agent's own", spent, close };
}

/** A policy in a world, which may be the agent's program with the policy as its model; the skill stands in what the policy reads. */
async function policyArms(invocation: Invocation, place: ArmPlace): Promise<Arms> {
  const { env, world, envId, concurrency, seed, onEpisode } = place;
  const chosen = await chosenAgent(invocation, { command: "skills lift", world, env: envId ?? "a dataset" });
  const { prompted } = chosen;
  if (prompted === undefined) {
    await chosen.close();
    throw usageError(
      `--policy ${invocation.text("policy")} is a script and reads no skills; use a model, bundled or chat.`,
    );
  }
  const run = createArms({
    env,
    agentWith: (textFor) => prompted((prompting) => withOpening(prompting, textOpening(textFor))),
    seed,
    ...withoutUndefined({ concurrency, maxSteps: maybeCount(invocation, "max-steps") }),
    signal: invocation.io.signal,
    onEpisode,
  });
  const { countTokens = tokensOf } = chosen;
  return { run, countTokens, form: promptForm(chosen), policy: chosen.agent.ref.name, close: () => chosen.close() };
}

async function openTasks(
  invocation: Invocation,
  envId: string | undefined,
  dataset: string | undefined,
  program: ProgramGiven | undefined,
): Promise<{ readonly env: Env; readonly world: World }> {
  const path = resolve(invocation.io.cwd, dataset ?? "");
  if (envId !== undefined || program !== undefined) {
    const world = await getWorld(envId ?? "agent");
    await loadWorldPart(world);
    if (program === undefined) return { env: await world.create(givenValues(invocation, "env-set")), world };
    const tasks = Object.values(await readAgentTasks(path)).flat();
    await mayRunChecks(
      invocation,
      tasks.map(({ data }) => (data ?? {}) as Pick<ReplayTask, "check" | "repository">),
    );
    return { env: await world.create({ ...program, tasks: path }), world };
  }
  const rows = readDataset(await readFile(path, "utf8"), path);
  const judge = invocation.flag("judge") ? await chatJudge(invocation) : undefined;
  const env = datasetEnv(rows, judge);
  return { env, world: { create: () => env } as unknown as World };
}

function splitAgent(text: string): [command: string, args: string[]] {
  const [command, ...args] = commandWords(text, "agent");
  return [command, args];
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

/** What the arms' prompts get: what is delivered, and the same with as many tokens that say nothing, under no name that says something. */
export function armTexts(
  selector: Selector,
  { form, countTokens }: Bench,
): Pick<LiftOptions, "textFor"> & Required<Pick<LiftOptions, "placeboFor">> {
  const chosenFor = ({ goal }: Task): ReturnType<Selector["select"]>["skills"] => selector.select({ goal }).skills;
  return {
    textFor: (task) => promptText(chosenFor(task), form),
    placeboFor: (task) => {
      const notes = chosenFor(task).map(({ level, text }, at) => {
        return { name: `note-${at + 1}`, level, text: placeboFor(text, countTokens, task.id) };
      });
      return promptText(notes, form);
    },
  };
}
