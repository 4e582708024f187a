/** A training as a person describes it: what was typed, and what a configuration file says. The library knows the defaults. */
import { EngineError, usageError } from "limbeck-base/base/errors";
import { isObject, jsonOrText } from "limbeck-base/base/json";
import { withoutUndefined } from "limbeck-base/base/fields";
import { givenJson } from "limbeck-base/base/given-file";
import { isObjectAddress } from "limbeck-base/base/object-address";
import { resolveInput, type Context, type InputSpec, type InputTable } from "limbeck-base/base/operation";
import { getWorld } from "limbeck-worlds/index";
import type { WorldOptions } from "limbeck-core/env/world";
import { checkStoredOptions } from "limbeck-core/env/stored-options";
import type { RecipeId } from "limbeck-core/recipe/registry";
import { typedModel } from "limbeck-policy/policy/starts";
import type { TrainOptions } from "limbeck-training/training/options";
import { worldName, type WorldPart } from "limbeck-training/training/parts";
import { scorerPlace } from "limbeck-training/training/scorer/open-scorer";
import { firstDemonstrator, givenWorld } from "./given-parts.ts";
import { givenRewards } from "./given-rewards.ts";
import { trainInputs, type TrainInput } from "./train.inputs.ts";

type Options = TrainOptions<RecipeId, string>;

/** What a file may hold; settings may be nested there. */
const IN_FILE = [
  ...(["recipe", "preset", "credit", "strategy", "collect", "objective", "env", "envOptions"] as const),
  ...(["model", "steps", "seed", "reward", "settings"] as const),
];
type InFile = Partial<Omit<TrainInput, "reward">> & { readonly reward?: unknown };

export interface GivenTraining extends TrainInput {
  readonly inFile: InFile;
}

/** What was typed goes before what the file of --config says. */
export async function withConfig(input: TrainInput, context: Pick<Context, "cwd">): Promise<GivenTraining> {
  const inFile: InFile = input.config === undefined ? {} : await configuration(input.config, context);
  return { ...inFile, ...withoutUndefined(input), reward: input.reward, inFile } as GivenTraining;
}

async function configuration(file: string, context: Pick<Context, "cwd">): Promise<InFile> {
  const given = await givenJson(context, file, "the configuration");
  const refused = (why: string, cause?: unknown): EngineError =>
    new EngineError("bad-input", `"${file}" is not a training configuration: ${why}`, { cause });
  if (!isObject(given)) throw refused("it is no object.");
  // A file names its parts, and holds rewards as a plan.
  const plain = ({ kind, ...spec }: InputSpec): InputSpec =>
    (kind === "part" || kind === "path" ? { ...spec, kind: "text" } : { ...spec, kind }) as InputSpec;
  const table: InputTable = {
    ...Object.fromEntries(IN_FILE.map((name) => [name, plain(trainInputs[name])])),
    reward: { kind: "json", meaning: "" },
  };
  try {
    resolveInput(table, given, "the configuration");
  } catch (cause) {
    throw refused((cause as Error).message, cause);
  }
  return given;
}

const AS_GIVEN = [
  ...(["recipe", "credit", "strategy", "collect", "objective", "preset", "steps", "seed"] as const),
  ...(["stopAt", "checkpointEvery", "budget", "resume", "threads", "cores", "weights", "draft"] as const),
];

/** All but the folder of the run, and who plays elsewhere. */
export async function givenTraining(given: GivenTraining, context: Context): Promise<Options> {
  const { inFile, model, validateEvery: every, validationTasks: tasks, reportTasks } = given;
  const world = await trainedWorld(given, context);
  const reward = await givenRewards(given, context, { plan: inFile.reward, file: given.config });
  return withoutUndefined({
    ...Object.fromEntries(AS_GIVEN.map((name) => [name, given[name]])),
    ...world,
    model: typedModel(model, context.cwd),
    reward,
    settings: inFile.settings,
    texts: settingTexts(given),
    writer: given.ask,
    scorer: scorerPlace(given.scorer, context.cwd),
    validation: withoutUndefined({ every, tasks }),
    report: withoutUndefined({ tasks: reportTasks }),
    // Weights and checkpoints are files of this machine, wherever the episodes go.
    store: isObjectAddress(context.store) ? context.store : undefined,
    ...weightsPlace(given, context),
    ...correctionOf(given),
    environment: context.environment,
    now: context.now,
    signal: context.signal,
  }) as Options;
}

async function trainedWorld(
  { env: id = "household", experts, config, inFile, ...given }: GivenTraining,
  context: Context,
): Promise<Required<Pick<Options, "env" | "envName" | "world" | "demonstrator">>> {
  // What was typed takes the place of what the file says.
  const read = Object.entries(inFile.envOptions ?? {}).filter(([name]) => !Object.hasOwn(given.envOptions, name));
  const stored = Object.fromEntries(read) as WorldOptions;
  checkStoredOptions({
    id,
    world: await getWorld(id),
    options: stored,
    source: `The configuration "${config}"`,
    allowed: { commands: given.allowCommands, addresses: given.allowAddresses },
    command: "limbeck train",
  });
  const envOptions = { ...stored, ...given.envOptions };
  const { world, options, env, ordered } = await givenWorld("train", { env: id, envOptions, experts }, context);
  if (ordered !== "" && (given.fleet !== undefined || (given.lag ?? 0) > 0)) {
    throw usageError("--experts cannot go with --fleet or --lag: those who play elsewhere do not have them.");
  }
  const envName = [worldName(id, options), ...(ordered === "" ? [] : [ordered])].join(" ");
  return { env, envName, world: { id, options }, demonstrator: firstDemonstrator(world) };
}

/** Worlds of --next: an id, and options of the world behind it. */
export function nextTasks({ next }: Pick<TrainInput, "next">): WorldPart[] {
  return next.map((text) => {
    const [env = "", ...words] = text.trim().split(/\s+/);
    const options = words.map((word) => {
      const split = word.indexOf("=");
      if (split < 1) throw usageError(`--next takes a world and NAME=VALUE words behind it, not "${word}".`);
      return [word.slice(0, split), jsonOrText(word.slice(split + 1))] as const;
    });
    return { env, envOptions: Object.fromEntries(options) };
  });
}

/** How the policy speaks, as settings: what is typed with --set wins. */
function settingTexts({ system, form: answerForm, prompts, thinking, stop, settings }: TrainInput): Options["texts"] {
  // A shell hands on a line break as two letters.
  const ends = stop.map((text) => text.replaceAll("\\n", "\n"));
  const spoken = { system, answerForm, prompts, thinking, stop: ends.length === 0 ? undefined : JSON.stringify(ends) };
  return Object.entries<string>({ ...withoutUndefined(spoken), ...settings });
}

/** The key comes from the environment, so that no list of processes shows it. */
function weightsPlace(
  { trainer: url, baseModel, gpu, lora }: TrainInput,
  { environment }: Context,
): Pick<Options, "trainer" | "lora"> {
  if (url === undefined) return gpu ? {} : { lora };
  return { trainer: { url, apiKey: environment["TINKER_API_KEY"], baseModel, rank: lora } };
}

function correctionOf(given: TrainInput): Pick<Options, "lag" | "correction"> {
  const { correction: method, truncate, rejectAbove, fleet, lag = fleet === undefined ? undefined : 0 } = given;
  if (lag !== undefined) return { lag, correction: withoutUndefined({ method, truncate, rejectAbove }) };
  const [stray] = Object.entries({ correction: method, truncate, "reject-above": rejectAbove }).filter(
    ([, value]) => value !== undefined,
  );
  if (stray === undefined) return {};
  throw usageError(`"limbeck train --${stray[0]}" is for --lag N.`);
}
