/** What a lift test needs: tasks, an agent that reads texts, and the arms. */
import { resolve } from "node:path";
import { cleanLine } from "limbeck-base/base/clean-text";
import { commandWords } from "limbeck-base/base/command-words";
import { usageError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { getWorld } from "limbeck-worlds/index";
import type { World } from "limbeck-core/env/world";
import { readAgentTasks } from "limbeck-worlds/agent/tasks";
import { chatJudge } from "limbeck-core/eval/lift/chat-judge";
import { createArms, type RunArm } from "limbeck-core/eval/lift/arms";
import { createAgentArms } from "limbeck-worlds/agent/agent-arms";
import { datasetEnv, readDataset } from "limbeck-core/eval/lift/dataset-env";
import { placeboFor, type LiftOptions } from "limbeck-core/eval/lift/lift";
import { tokensOf, type Selector } from "limbeck-recorder/selection/select";
import { textOpening } from "limbeck-core/skill/injection";
import type { Library } from "limbeck-core/skill/library/library";
import { promptForm, promptText, type PromptForm } from "limbeck-core/skill/selection/prompt-text";
import type { Interval } from "limbeck-base/base/statistics/interval";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { plainText } from "limbeck-base/base/plain-file";
import { withOpening } from "limbeck-core/walk/mind/prompter";
import { givenAgent, givenWorld, type GivenWorld } from "./given-parts.ts";
import type { LiftContext, LiftInput } from "./lift.inputs.ts";
import { mayRunChecks } from "limbeck-store/record/replay/may-run-checks";
import { agentWorldOptions, type ProgramGiven } from "./program.ts";

export type Bench = Awaited<ReturnType<typeof openBench>>;

/** A lift test of a library. */
export interface Lifting {
  readonly given: LiftInput;
  readonly context: LiftContext;
  readonly library: Library;
  readonly bench: Bench;
}

/** Tasks that are looked at for each that fits; a skill for a rare kind of task must not search for ever. */
export const LOOKED_AT = 40;

type Tasks = Pick<GivenWorld, "env" | "world"> & Partial<Pick<GivenWorld, "options">>;

export async function openBench(given: LiftInput, context: LiftContext) {
  const { env: envId, dataset, agent: own, judge, seed, offset, temperature } = given;
  if ((envId === undefined) === (dataset === undefined)) {
    throw usageError('"limbeck skills lift" needs either --env ID or --dataset FILE.');
  }
  if (own !== undefined && (dataset === undefined || judge)) {
    throw usageError(
      "--agent COMMAND needs --dataset FILE, whose lines are its tasks; its outcome decides, so leave out --env and --judge.",
    );
  }
  const program = own === undefined ? undefined : programOf(own, given, context);
  const tasks = await openTasks(given, context, program);
  const { env } = tasks;
  const split = given.split ?? (Object.hasOwn(env.splits, "valid") ? "valid" : (Object.keys(env.splits)[0] ?? "all"));
  if (split === "train" && dataset === undefined)
    context.note('! Skills may have been learnt on the tasks of "train"; lift there proves little.');
  let episodes = 0;
  const onEpisode = (): void => {
    episodes += 1;
  };
  const isOwn = program !== undefined && given.policy === undefined;
  const arms = isOwn
    ? ownArms(given, context, program, onEpisode)
    : await policyArms(given, context, { ...tasks, program, onEpisode });
  const envOptions = tasks.options ?? {};
  const setting = {
    env: envId ?? `dataset ${dataset}`,
    ...(Object.keys(envOptions).length === 0 ? {} : { envOptions }),
    split,
    policy: arms.policy,
    ...withoutUndefined({ agent: own }),
    form: arms.form,
    seed,
    ...withoutUndefined({ temperature }),
  };
  return { ...arms, env, split, offset, setting, episodes: () => episodes };
}

function programOf(own: string, given: LiftInput, { cwd }: LiftContext): ProgramGiven & { taskChecks: true } {
  const [command, ...args] = commandWords(own, "agent");
  return { ...agentWorldOptions(given, command, args, cwd), taskChecks: true };
}

interface Arms {
  readonly run: RunArm;
  readonly countTokens: (text: string) => number;
  /** How skills stand in a prompt of the policy. */
  readonly form: PromptForm;
  /** Who acts, for the record. */
  readonly policy: string;
  /** Of an agent's own runs: time, and US dollars where they say so. */
  readonly spent?: { ms: number; costUsd: number };
  close(): Promise<void>;
}

/** The agent's program with the model that it has; the skill stands in its prompt. */
function ownArms(
  { concurrency = 1 }: LiftInput,
  { note, signal }: LiftContext,
  program: ProgramGiven,
  onEpisode: () => void,
): Arms {
  let isTold = false;
  const spent = { ms: 0, costUsd: 0 };
  const run = createAgentArms({
    ...program,
    concurrency,
    signal,
    onRun: (_task, _success, lost, { ms, costUsd = 0 }) => {
      onEpisode();
      spent.ms += ms;
      spent.costUsd += costUsd;
      if (lost !== undefined && !isTold) note(`! A run was lost and counts in no arm: ${cleanLine(lost.message)}`);
      isTold ||= lost !== undefined;
    },
  });
  const close = (): Promise<void> => Promise.resolve();
  return { run, countTokens: tokensOf, form: "section", policy: "the agent's own", spent, close };
}

/** A policy in a world, which may be the agent's program with the policy as its model; the skill stands in what the policy reads. */
async function policyArms(
  given: LiftInput,
  context: LiftContext,
  { env, world, program, onEpisode }: Tasks & { readonly program: object | undefined; readonly onEpisode: () => void },
): Promise<Arms> {
  const { policy, seed, maxSteps, concurrency = program && 1 } = given;
  const place = { command: "skills lift", world, env: given.env ?? "a dataset" };
  const chosen = await givenAgent(policy, given, place, context);
  const { prompted } = chosen;
  if (prompted === undefined) {
    await chosen.close();
    throw usageError(`--policy ${policy} is a script and reads no skills; use a model, bundled or chat.`);
  }
  const run = createArms({
    env,
    agentWith: (textFor) => prompted((prompting) => withOpening(prompting, textOpening(textFor))),
    seed,
    ...withoutUndefined({ concurrency, maxSteps }),
    signal: context.signal,
    onEpisode,
  });
  const { countTokens = tokensOf } = chosen;
  return { run, countTokens, form: promptForm(chosen), policy: chosen.agent.ref.name, close: () => chosen.close() };
}

async function openTasks(given: LiftInput, context: LiftContext, program: ProgramGiven | undefined): Promise<Tasks> {
  const path = resolve(context.cwd, given.dataset ?? "");
  if (given.env !== undefined) return await givenWorld("skills lift", given, context);
  if (program !== undefined) {
    const world = await getWorld("agent");
    const tasks = Object.values(await readAgentTasks(path)).flat();
    await mayRunChecks(
      given,
      context,
      tasks.map(({ data = {} }) => data),
    );
    return { env: await world.create({ ...program, tasks: path }), world };
  }
  const rows = readDataset(await plainText(path), path);
  const env = datasetEnv(rows, given.judge ? await chatJudge(context) : undefined);
  return { env, world: { create: () => env } as unknown as World };
}

export async function fittingTasks(
  { tasks: wanted }: LiftInput,
  { env, split, offset }: Bench,
  fits: (task: Task) => boolean,
): Promise<Task[]> {
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

/** Differences alone, of what knows more. */
export function asJson(all: Readonly<Record<string, Interval & { readonly value: number }>>): object {
  const entries = Object.entries(all).map(([name, { value, low, high }]) => [name, { value, low, high }]);
  return Object.fromEntries(entries);
}
