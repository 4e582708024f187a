/** What a lift test needs: tasks, an agent that reads texts, and the arms. */
import { join, resolve } from "node:path";
import { cleanLine } from "limbeck-base/base/clean-text";
import { commandWords } from "limbeck-base/base/command-words";
import { EngineError, usageError } from "limbeck-base/base/errors";
import { hashFile, statIfThere } from "limbeck-base/base/files";
import { withoutUndefined } from "limbeck-base/base/fields";
import { getWorld } from "limbeck-worlds/index";
import type { World } from "limbeck-core/env/world";
import { readAgentTasks } from "limbeck-worlds/agent/tasks";
import { createArms, type RunArm } from "limbeck-core/eval/lift/arms";
import { createAgentArms } from "limbeck-worlds/agent/agent-arms";
import { datasetEnv, readDataset } from "limbeck-core/eval/lift/dataset-env";
import { openLedger } from "limbeck-core/eval/lift/ledger";
import type { LiftOptions } from "limbeck-core/eval/lift/lift";
import { placeboFor } from "limbeck-core/eval/lift/placebo";
import { proposePairs } from "limbeck-core/eval/lift/propose-pairs";
import { SELECTOR } from "limbeck-recorder/selection/proven-with";
import { tokensOf, type Selector } from "limbeck-recorder/selection/select";
import { textOpening } from "limbeck-core/skill/injection";
import type { Library } from "limbeck-core/skill/library/library";
import { promptForm, promptText, type PromptForm } from "limbeck-core/skill/selection/prompt-text";
import type { Interval } from "limbeck-base/base/statistics/interval";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { plainText } from "limbeck-base/base/plain-file";
import { withOpening } from "limbeck-core/walk/mind/prompter";
import { givenAgent, givenWorld, type GivenWorld } from "./given-parts.ts";
import { openAccount, type Account } from "./lift-account.ts";
import { agentJudge, openDecider, requireOutcomes, type Decider } from "./lift-decides.ts";
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
/** Characters of an episode that are kept. */
const TRANSCRIPT = 4_000;

type Tasks = Pick<GivenWorld, "env" | "world"> & Partial<Pick<GivenWorld, "options">>;

export async function openBench(given: LiftInput, library: Library, context: LiftContext) {
  const { env: envId, agent: own, seed, offset, temperature } = given;
  const dataset = await datasetOf(given, library, context);
  if ((envId === undefined) === (dataset === undefined)) {
    throw usageError('"limbeck lift" needs tasks: either --env ID, --dataset FILE or --run ID.');
  }
  if (own !== undefined && dataset === undefined) {
    throw usageError("--agent COMMAND needs --dataset FILE or --run ID, whose lines are its tasks; leave out --env.");
  }
  const account = openAccount(given, context);
  const decider = await openDecider(given, context);
  const program = own === undefined ? undefined : { ...programOf(own, given, context), ...agentJudge(decider.judge) };
  const tasks = await openTasks({ ...given, dataset }, context, program, decider);
  const { env } = tasks;
  const split = given.split ?? (Object.hasOwn(env.splits, "valid") ? "valid" : (Object.keys(env.splits)[0] ?? "all"));
  if (split === "train" && dataset === undefined)
    context.note('! Skills may have been learnt on the tasks of "train"; lift there proves little.');
  let episodes = 0;
  const transcripts = new Map<string, string>();
  const onEpisode = (task: Task, transcript: string): void => {
    episodes += 1;
    transcripts.set(task.id, transcript);
  };
  const isOwn = program !== undefined && given.policy === undefined;
  const arms = isOwn
    ? ownArms(given, context, program, onEpisode)
    : await policyArms(given, context, { ...tasks, program, onEpisode, account });
  const envOptions = tasks.options ?? {};
  const setting = {
    env: envId ?? `dataset ${dataset}`,
    ...(Object.keys(envOptions).length === 0 ? {} : { envOptions }),
    split,
    policy: arms.policy,
    ...withoutUndefined({ agent: own }),
    form: arms.form,
    selector: SELECTOR,
    seed,
    ...withoutUndefined({ temperature }),
  };
  const ledger = await openLedger({
    file: join(library.root, ".lift", "answers.jsonl"),
    setting: {
      ...setting,
      split: undefined,
      seed: undefined,
      // Outcomes are of the text, whatever chose it.
      selector: undefined,
      env: envId ?? "dataset",
      weights: arms.weights,
      ...(await madeWith(given, context)),
    },
    seed,
    allow: account.allow,
  });
  // A model of this machine costs nothing but time.
  const costs = own !== undefined || given.policy === "chat";
  return {
    ...arms,
    env,
    split,
    offset,
    setting,
    account,
    decider,
    ledger,
    costs,
    transcripts,
    episodes: () => episodes,
  };
}

/** The file of tasks: as given, or made from the sessions of a run. */
async function datasetOf(given: LiftInput, library: Library, context: LiftContext): Promise<string | undefined> {
  const { run, dataset } = given;
  if (run === undefined) return dataset;
  if (dataset !== undefined) throw usageError("--run and --dataset both name the tasks: give one.");
  const out = join(library.root, ".lift", "tasks.jsonl");
  const { replayStored } = await import("limbeck-store/record/replay/replay");
  const made = await replayStored({ ...given, run, out }, { ...context, emit: () => undefined });
  if (made.tasks > 0) return out;
  const left = Object.entries(made.left).map(([why, count]) => `${count}: ${why}`);
  throw new EngineError(
    "nothing-measured",
    `No session of the run "${run}" can be tried again (${left.join("; ") || "it has none"}). Give --dataset FILE.`,
  );
}

/** What outcomes depend on: these options, and the files that the commands name. */
async function madeWith(given: LiftInput, { cwd }: LiftContext): Promise<object> {
  const { agent, check, prepare, decide, judge, ownOutcome, folder, revision, maxSteps, answerTokens } = given;
  const { prompts, history, form, system, restrict } = given;
  const commands = [agent, check, prepare].flatMap((command) => (command === undefined ? [] : command.split(/\s+/)));
  const named = [...commands, ...(decide === undefined ? [] : [decide])].map((word) => resolve(cwd, word));
  const files = await Promise.all(named.map(async (path) => ((await isFile(path)) ? await hashFile(path) : undefined)));
  const options = { check, prepare, judge, ownOutcome, folder, revision, maxSteps, answerTokens, prompts, history };
  return withoutUndefined({ ...options, form, system, restrict, files: files.filter((file) => file !== undefined) });
}

async function isFile(path: string): Promise<boolean> {
  return (await statIfThere(path))?.isFile() === true;
}

function programOf(own: string, given: LiftInput, { cwd }: LiftContext): ProgramGiven & { taskChecks: true } {
  const [command, ...args] = commandWords(own, "agent");
  return { ...agentWorldOptions(given, command, args, cwd), taskChecks: true };
}

/** Gets what may be read of an episode too. */
type OnEpisode = (task: Task, transcript: string) => void;

interface Arms {
  readonly run: RunArm;
  readonly countTokens: (text: string) => number;
  /** How skills stand in a prompt of the policy. */
  readonly form: PromptForm;
  /** Who acts, for the record. */
  readonly policy: string;
  /** What is known of the weights, where there are some. */
  readonly weights?: object;
  /** Of an agent's own runs: time, and US dollars where they say so. */
  readonly spent?: { ms: number; costUsd: number };
  close(): Promise<void>;
}

/** The agent's program with the model that it has; the skill stands in its prompt. */
function ownArms(
  { concurrency = 1 }: LiftInput,
  { note, signal }: LiftContext,
  program: ProgramGiven,
  onEpisode: OnEpisode,
): Arms {
  let isTold = false;
  const spent = { ms: 0, costUsd: 0 };
  const run = createAgentArms({
    ...program,
    concurrency,
    signal,
    onRun: (task, _success, lost, { ms, costUsd = 0, printed = "" }) => {
      onEpisode(task, printed);
      spent.ms += ms;
      spent.costUsd += costUsd;
      if (lost !== undefined && !isTold) note(`! A run was lost and counts in no arm: ${cleanLine(lost.message)}`);
      isTold ||= lost !== undefined;
    },
  });
  const close = (): Promise<void> => Promise.resolve();
  return { run, countTokens: tokensOf, form: "section", policy: "the agent's own", spent, close };
}

function transcriptOf({ steps }: Trajectory): string {
  return steps
    .map(({ observation, action }) => `${observation}\n> ${action}`)
    .join("\n")
    .slice(-TRANSCRIPT);
}

/** A policy in a world, which may be the agent's program with the policy as its model; the skill stands in what the policy reads. */
async function policyArms(
  given: LiftInput,
  context: LiftContext,
  {
    env,
    world,
    program,
    onEpisode,
    account,
  }: Tasks & {
    readonly program: object | undefined;
    readonly onEpisode: OnEpisode;
    readonly account: Account;
  },
): Promise<Arms> {
  const { policy, seed, maxSteps, concurrency = program && 1 } = given;
  const place = { command: "lift", world, env: given.env ?? "a dataset" };
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
    onEpisode: (trajectory) => onEpisode(trajectory.task, transcriptOf(trajectory)),
    ...withoutUndefined({ prices: account.prices }),
    budget: account.budget,
    onSpent: account.onSpent,
  });
  const { countTokens = tokensOf } = chosen;
  const { ref } = chosen.agent;
  const changed = policy === undefined ? undefined : (await statIfThere(resolve(context.cwd, policy)))?.mtimeMs;
  const weights = { ...ref, ...withoutUndefined({ changed }) };
  return { run, countTokens, form: promptForm(chosen), policy: ref.name, weights, close: () => chosen.close() };
}

async function openTasks(
  given: LiftInput,
  context: LiftContext,
  program: ProgramGiven | undefined,
  decider: Decider,
): Promise<Tasks> {
  const { env: id, dataset = "" } = given;
  if (id !== undefined) return await givenWorld("lift", given, context);
  const path = resolve(context.cwd, dataset);
  if (program !== undefined) {
    const world = await getWorld("agent");
    const tasks = Object.values(await readAgentTasks(path)).flat();
    requireOutcomes(tasks, decider, given);
    await mayRunChecks(
      given,
      context,
      tasks.map(({ data = {} }) => data),
    );
    return { env: await world.create({ ...program, tasks: path }), world };
  }
  const { judge } = decider;
  const rows = readDataset(await plainText(path), path, { judged: judge !== undefined });
  const env = datasetEnv(rows, judge);
  return { env, world: { create: () => env } as unknown as World };
}

/** How many tasks of a skill are tried: as given, or as many as its pairs are proposed to be. */
export function tasksFor({ tasks, trials, worthwhile }: LiftInput): number {
  return tasks ?? Math.ceil(proposePairs(worthwhile) / trials);
}

export async function fittingTasks(
  wanted: number,
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
  // Without the notice of an earlier proof: what is proven here is delivered without one.
  const chosenFor = ({ goal }: Task) =>
    selector.select({ goal }).skills.map(({ name, level, text }) => ({ name, level, text }));
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
