/** From the command line, and a file, to what a training is asked for. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { isObjectAddress } from "../../base/object-address.ts";
import { EngineError, errorCode, withoutUndefined } from "../../base/index.ts";
import { getWorld } from "../../env/index.ts";
import { namedOptions } from "../../env/named-world.ts";
import { checkStoredOptions } from "../../env/stored-options.ts";
import { demonstratorsOf } from "../../env/world.ts";
import type { RecipeId } from "../../recipe/index.ts";
import type { TrainOptions, WorldPart } from "../../training/index.ts";
import { chosenMethods } from "../../training/plan.ts";
import { newRunFolder, worldName } from "../../training/parts.ts";
import { givenAllowed } from "../allow-options.ts";
import { dropEmpty, foldersToCome } from "../../base/empty-folders.ts";
import { givenAsk } from "../given-writer.ts";
import type { Invocation } from "../command.ts";
import { givenScorer } from "../model/given-scorer.ts";
import { givenCount, givenDraft, givenWeights, maybeCount, maybeNumber } from "../model/open-given.ts";
import { withGivenExperts } from "../../orchestrate/given-experts.ts";
import { parseOptionTexts, readValue } from "../play/world-options.ts";
import { usageError } from "../parse.ts";
import { givenAmounts } from "../rollout/rollout-options.ts";
import { givenAway } from "./given-away.ts";
import { givenRewards } from "./given-rewards.ts";

const fileSchema = z.strictObject({
  recipe: z.string().optional(),
  preset: z.string().optional(),
  credit: z.string().optional(),
  strategy: z.string().optional(),
  collect: z.string().optional(),
  objective: z.string().optional(),
  env: z.string().optional(),
  envOptions: z.record(z.string(), z.json()).optional(),
  model: z.string().optional(),
  steps: z.int().positive().optional(),
  seed: z.int().nonnegative().optional(),
  reward: z.json().optional(),
  settings: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])).optional(),
});
type ConfigFile = z.infer<typeof fileSchema>;

type Options = TrainOptions<RecipeId, string>;

const NAMES = ["recipe", "credit", "strategy", "collect", "objective", "preset"] as const;

/** Names of recipe, credit method, strategy and objective, from the command line or the file. */
export async function chosenNames(
  invocation: Invocation,
): Promise<Pick<Options, (typeof NAMES)[number]> & { readonly file: ConfigFile }> {
  const file = await configFile(invocation);
  const given = NAMES.map((name) => [name, invocation.text(name) ?? file[name]] as const);
  return { file, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
}

/** What was typed, and what the file says; the library knows the defaults. */
export async function trainOptions(invocation: Invocation): Promise<Options & { readonly dir: string }> {
  const { file, ...names } = await chosenNames(invocation);
  const { recipeName } = chosenMethods(names);
  const count = (name: string, least?: number): number | undefined => maybeCount(invocation, name, least);
  const model = invocation.text("model") ?? file.model;
  const world = await givenWorld(invocation, file);
  const [every, tasks, reportTasks] = [count("validate-every", 0), count("validation-tasks"), count("report-tasks")];
  const reward = await givenRewards(invocation, file.reward);
  const dir = await runFolder(invocation, recipeName);
  return withoutUndefined({
    ...names,
    ...world,
    model: model === undefined ? undefined : resolve(invocation.io.cwd, model),
    reward,
    settings: file.settings,
    writer: givenAsk(invocation) as Options["writer"],
    scorer: givenScorer(invocation),
    texts: [...spokenTexts(invocation), ...parseOptionTexts(invocation, "set")],
    steps: count("steps") ?? file.steps,
    seed: count("seed", 0) ?? file.seed,
    validation: withoutUndefined({ every, tasks }),
    report: withoutUndefined({ tasks: reportTasks }),
    stopAt: maybeNumber(invocation, "stop-at", { low: 0, high: 1 }),
    checkpointEvery: count("checkpoint-every"),
    budget: givenAmounts(invocation, "budget", ["seconds"], "budget"),
    dir,
    ...givenStore(invocation),
    resume: invocation.flag("resume"),
    ...givenTrainer(invocation),
    ...givenAway(invocation, dir, world.world),
    threads: count("threads"),
    cores: count("cores"),
    weights: givenWeights(invocation),
    draft: givenDraft(invocation),
    environment: invocation.io.env,
    now: () => invocation.io.now(),
    signal: invocation.io.signal,
  });
}

async function givenWorld(
  invocation: Invocation,
  file: ConfigFile,
): Promise<Required<Pick<Options, "env" | "envName" | "world" | "demonstrator">>> {
  const id = invocation.text("env") ?? file.env ?? "household";
  const told = parseOptionTexts(invocation, "env-set").map(([key, text]) => [key, readValue(text)] as const);
  const typed = Object.fromEntries(told);
  const world = await getWorld(id);
  const options = namedOptions(id, world, { ...file.envOptions, ...typed });
  checkStoredOptions({
    id,
    world,
    // What was typed takes the place of what the file says.
    options: Object.fromEntries(Object.entries(file.envOptions ?? {}).filter(([name]) => !Object.hasOwn(typed, name))),
    source: `The configuration "${invocation.text("config")}"`,
    allowed: givenAllowed(invocation),
    command: "limbeck train",
  });
  const { env, name: experts } = await withGivenExperts(
    { cwd: invocation.io.cwd, environment: invocation.io.env },
    invocation.text("experts"),
    world,
    await world.create(options),
  );
  if (experts !== "" && (invocation.text("fleet") !== undefined || givenCount(invocation, "lag", 0, 0) > 0)) {
    throw usageError("--experts cannot go with --fleet or --lag: those who play elsewhere do not have them.");
  }
  const envName = [worldName(id, options), ...(experts === "" ? [] : [experts])].join(" ");
  return { env, envName, world: { id, options }, demonstrator: Object.values(demonstratorsOf(world, env))[0] };
}

/** Worlds of --next: an id, and options of the world behind it. */
export function givenTasksAfter(invocation: Invocation): WorldPart[] {
  return invocation.texts("next").map((text) => {
    const [env = "", ...words] = text.trim().split(/\s+/);
    const options = words.map((word) => {
      const split = word.indexOf("=");
      if (split < 1) throw usageError(`--next takes a world and NAME=VALUE words behind it, not "${word}".`);
      return [word.slice(0, split), readValue(word.slice(split + 1))] as const;
    });
    return { env, envOptions: Object.fromEntries(options) };
  });
}

/** How the policy speaks, as settings: what is typed with --set wins. */
function spokenTexts(invocation: Invocation): (readonly [string, string])[] {
  const names = { system: "system", form: "answerForm", prompts: "prompts", thinking: "thinking" };
  const given = Object.entries(names).flatMap(([option, setting]) => {
    const text = invocation.text(option);
    return text === undefined ? [] : [[setting, text] as const];
  });
  // A shell hands on a line break as two letters.
  const stop = invocation.texts("stop").map((text) => text.replaceAll("\\n", "\n"));
  return stop.length === 0 ? given : [...given, ["stop", JSON.stringify(stop)]];
}

/** The key comes from the environment, so that no list of processes shows it. */
function givenTrainer(invocation: Invocation): Pick<Options, "trainer" | "lora"> {
  const url = invocation.text("trainer");
  const lora = invocation.text("lora");
  if (url !== undefined) {
    const rank = lora === undefined ? undefined : givenCount(invocation, "lora", 0, 0);
    const apiKey = invocation.io.env["TINKER_API_KEY"];
    return { trainer: { url, apiKey, baseModel: invocation.text("base-model"), rank } };
  }
  if (invocation.flag("gpu")) return {};
  if (invocation.text("base-model") !== undefined) {
    throw usageError('"limbeck train --base-model" is for --trainer URL.');
  }
  return lora === undefined ? {} : { lora: givenCount(invocation, "lora", 0, 0) };
}

function runFolder(invocation: Invocation, recipe: string): Promise<string> {
  if (invocation.text("dir") === undefined && invocation.flag("resume")) {
    throw usageError('"limbeck train --resume" needs --dir DIR, the folder of the run.');
  }
  return givenRunFolder(invocation, recipe);
}

/** Where the episodes go, where that is not the folder that holds the run's. */
export function givenStore({ storeRoot }: Invocation): { readonly store?: string } {
  return isObjectAddress(storeRoot) ? { store: storeRoot } : {};
}

/** The folder given by --dir, or a new one in the store, named after what is run and the time. */
export async function givenRunFolder(invocation: Invocation, name: string): Promise<string> {
  const { io, storeRoot } = invocation;
  const given = invocation.text("dir");
  if (given !== undefined) return resolve(io.cwd, given);
  // Weights and checkpoints are files of this machine, wherever the episodes go.
  const folder = isObjectAddress(storeRoot) ? resolve(io.cwd, "runs") : resolve(io.cwd, storeRoot);
  const coming = foldersToCome(folder);
  const made = await newRunFolder(folder, name, Date.now());
  // Where something was written it stays: the run can go on.
  invocation.onFailure(() => dropEmpty([made, ...coming]));
  return made;
}

async function configFile(invocation: Invocation): Promise<ConfigFile> {
  const given = invocation.text("config");
  if (given === undefined) return {};
  const text = await readFile(resolve(invocation.io.cwd, given), "utf8").catch((cause: unknown) => {
    const code = errorCode(cause) === "ENOENT" ? "file-missing" : "file-unreadable";
    throw new EngineError(code, `Cannot read "${given}" (${errorCode(cause) ?? "unknown"}).`, { cause });
  });
  const parsed = fileSchema.safeParse(jsonOf(text, given));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the file"}: ${message}`);
  throw new EngineError("bad-input", `"${given}" is not a training configuration: ${issues.slice(0, 5).join("; ")}.`);
}

function jsonOf(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EngineError("bad-json", `"${name}" is not JSON: ${String(cause)}.`, { cause });
  }
}
