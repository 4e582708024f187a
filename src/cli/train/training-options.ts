/** From the command line, and a file, to the plan of a training. */
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { EngineError, errorCode } from "../../base/index.ts";
import { checkStoredOptions, getWorld } from "../../env/index.ts";
import { bundledModel, bundledModelFor, bundledStart } from "../../policy/local/bundled-model.ts";
import { fittingStrategy, getRecipe, resolveSettings } from "../../recipe/index.ts";
import { type TrainingPlan } from "../../training/index.ts";
import { createModelAnalyst, createStatisticsAnalyst } from "../../skill/index.ts";
import { givenAllowed } from "../allow-options.ts";
import type { Invocation } from "../command.ts";
import { givenCount, givenNumber } from "../model/open-given.ts";
import { withGivenExperts } from "../orchestrate/given-experts.ts";
import { parseOptionTexts, readValue } from "../play/world-options.ts";
import { usageError } from "../parse.ts";
import { givenAway } from "./given-away.ts";

const fileSchema = z.strictObject({
  recipe: z.string().optional(),
  preset: z.string().optional(),
  credit: z.string().optional(),
  strategy: z.string().optional(),
  objective: z.string().optional(),
  env: z.string().optional(),
  envOptions: z.record(z.string(), z.json()).optional(),
  model: z.string().optional(),
  steps: z.int().positive().optional(),
  seed: z.int().nonnegative().optional(),
  settings: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])).optional(),
});
type ConfigFile = z.infer<typeof fileSchema>;

export type PlannedTraining = Omit<TrainingPlan, "onEvent" | "onProgress" | "now" | "signal">;

interface ChosenNames {
  readonly file: ConfigFile;
  readonly recipe: string;
  readonly credit: string;
  readonly strategy: string;
  /** Undefined: the recipe's own, or what a setting says. */
  readonly objective: string | undefined;
}

/** Names of recipe, credit method, strategy and objective, from the command line or the file. */
export async function chosenNames(invocation: Invocation): Promise<ChosenNames> {
  const file = await configFile(invocation);
  const recipe = invocation.text("recipe") ?? file.recipe ?? "opid";
  const credit = invocation.text("credit") ?? file.credit ?? getRecipe(recipe).credit;
  const strategy = invocation.text("strategy") ?? file.strategy ?? fittingStrategy(credit, getRecipe(recipe)).name;
  return { file, recipe, credit, strategy, objective: invocation.text("objective") ?? file.objective };
}

export async function plannedTraining(invocation: Invocation): Promise<PlannedTraining> {
  const { file, recipe, credit, strategy, objective } = await chosenNames(invocation);
  const envId = invocation.text("env") ?? file.env ?? "household";
  const preset = invocation.text("preset") ?? file.preset;
  const settings = resolveSettings({
    name: recipe,
    recipe: getRecipe(recipe),
    credit,
    strategy,
    objective,
    preset,
    given: { ...roomFor(envId, preset), ...file.settings },
    texts: parseOptionTexts(invocation, "set"),
  });
  const told = parseOptionTexts(invocation, "env-set").map(([key, text]) => [key, readValue(text)] as const);
  const typed = Object.fromEntries(told);
  const options = { ...bundledStart(envId)?.worldOptions, ...file.envOptions, ...typed };
  const world = await getWorld(envId);
  checkStoredOptions({
    id: envId,
    world,
    // What was typed takes the place of what the file says.
    options: Object.fromEntries(Object.entries(file.envOptions ?? {}).filter(([name]) => !Object.hasOwn(typed, name))),
    source: `The configuration "${invocation.text("config")}"`,
    allowed: givenAllowed(invocation),
    command: "limbeck train",
  });
  const { env, name: experts } = await withGivenExperts(invocation, world, await world.create(options));
  if (experts !== "" && (invocation.text("fleet") !== undefined || givenCount(invocation, "lag", 0, 0) > 0)) {
    throw usageError("--experts cannot go with --fleet or --lag: those who play elsewhere do not have them.");
  }
  const threads = givenThreads(invocation);
  const stopAt = invocation.text("stop-at");
  const [model, dir] = [modelFolder(invocation, file, envId), runFolder(invocation, recipe)];
  const [valid, test] = [heldOut(env.splits, "valid"), heldOut(env.splits, "test")];
  return {
    recipe,
    credit,
    strategy,
    settings,
    env,
    demonstrator: Object.values(world.demonstrators ?? {})[0],
    envName: [envId, JSON.stringify(options), ...(experts === "" ? [] : [experts])].join(" "),
    model,
    analyst: await chosenAnalyst(invocation, settings["analyst"]),
    updates: invocation.text("steps") === undefined ? (file.steps ?? 50) : givenCount(invocation, "steps", 50),
    seed: invocation.text("seed") === undefined ? (file.seed ?? 1) : givenCount(invocation, "seed", 1, 0),
    validation: {
      every: givenCount(invocation, "validate-every", 10, 0),
      tasks: givenCount(invocation, "validation-tasks", 128),
      split: valid,
    },
    report: { tasks: givenCount(invocation, "report-tasks", 256), split: test },
    evaluationTemperature: 0.4,
    stopAt: stopAt === undefined ? null : givenNumber(invocation, "stop-at", { otherwise: 1, low: 0, high: 1 }),
    checkpointEvery: givenCount(invocation, "checkpoint-every", 5),
    dir,
    resume: invocation.flag("resume"),
    ...givenTrainer(invocation),
    ...givenAway(invocation, {
      world: { id: envId, options },
      model,
      credit,
      strategy,
      settings,
      dir,
      ...threads,
    }),
    ...threads,
  };
}

/** Where one thread plays while the other learns, each gets half of the machine; the results are the same either way. */
function givenThreads(invocation: Invocation): { readonly threads?: number } {
  if (invocation.text("threads") !== undefined) return { threads: givenCount(invocation, "threads", 1) };
  const beside = invocation.text("fleet") === undefined && givenCount(invocation, "lag", 0, 0) > 0;
  return beside ? { threads: Math.max(1, Math.floor(availableParallelism() / 2)) } : {};
}

/** The key comes from the environment, so that no list of processes shows it. */
function givenTrainer(invocation: Invocation): Pick<TrainingPlan, "trainer"> {
  const url = invocation.text("trainer");
  const lora = invocation.text("lora");
  if (url !== undefined) {
    const rank = lora === undefined ? undefined : givenCount(invocation, "lora", 0, 0);
    const apiKey = invocation.io.env["TINKER_API_KEY"];
    return { trainer: { url, apiKey, baseModel: invocation.text("base-model"), rank } };
  }
  const stray = ["lora", "base-model"].find((option) => invocation.text(option) !== undefined);
  if (stray === undefined) return {};
  throw usageError(`"limbeck train --${stray}" is for --trainer URL.`);
}

/** A world without such a split is measured on what it has, its last one; never on "train" if there is another. */
export function heldOut(splits: Readonly<Record<string, number>>, wanted: string): string {
  if (Object.hasOwn(splits, wanted)) return wanted;
  const others = Object.keys(splits).filter((name) => name !== "train");
  const found = others.find((name) => name.startsWith(wanted)) ?? others.at(wanted === "valid" ? 0 : -1);
  return found ?? "train";
}

function modelFolder(invocation: Invocation, file: ConfigFile, envId: string): string {
  const given = invocation.text("model") ?? file.model;
  return given === undefined ? bundledModel(bundledModelFor(envId)) : resolve(invocation.io.cwd, given);
}

/** Room for the answers of a world; a preset says its own. */
export function roomFor(envId: string, preset?: string): { readonly answerTokens?: number } {
  const start = preset === undefined ? bundledStart(envId) : undefined;
  return start?.answerTokens === undefined ? {} : { answerTokens: start.answerTokens };
}

async function chosenAnalyst(invocation: Invocation, name: unknown): Promise<TrainingPlan["analyst"]> {
  if (name !== "model") return createStatisticsAnalyst();
  const { chatServerFrom, openChatModel } = await import("../../policy/chat/index.ts");
  return createModelAnalyst({ chat: openChatModel(chatServerFrom(invocation.io.env), { cache: true }) });
}

function runFolder(invocation: Invocation, recipe: string): string {
  if (invocation.text("dir") === undefined && invocation.flag("resume")) {
    throw usageError('"limbeck train --resume" needs --dir DIR, the folder of the run.');
  }
  return givenRunFolder(invocation, recipe);
}

/** The folder given by --dir, or a new one in the store, named after what is run and the time. */
export function givenRunFolder(invocation: Invocation, name: string): string {
  const { io, storeRoot } = invocation;
  const given = invocation.text("dir");
  if (given !== undefined) return resolve(io.cwd, given);
  const stamp = new Date().toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return join(resolve(io.cwd, storeRoot), `${name}-${stamp}`);
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
