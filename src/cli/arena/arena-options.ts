/** From the command line to the plan of an arena. */
import { join, resolve } from "node:path";
import { EngineError } from "../../base/index.ts";
import {
  parseBudget,
  parseVaried,
  readPlan,
  storedPlan,
  variedArms,
  type ArenaPlan,
  type ArmInput,
} from "../../arena/index.ts";
import { getWorld } from "../../env/index.ts";
import { bundledModel, bundledModelFor, bundledStart } from "../../policy/local/bundled-model.ts";
import { getRecipe, settingsTable } from "../../recipe/index.ts";
import type { Invocation } from "../command.ts";
import { givenJson } from "../given-file.ts";
import { givenCount, givenNumber } from "../model/open-given.ts";
import { givenValues, parseOptionTexts } from "../play/world-options.ts";
import { usageError } from "../parse.ts";
import { chosenSearch } from "../search/chosen-search.ts";
import { heldOut, roomFor } from "../../training/index.ts";
import { givenRunFolder } from "../train/training-options.ts";

export interface PlannedArena {
  readonly plan: ArenaPlan;
  readonly dir: string;
  /** The file it was read from; none where it was typed. */
  readonly file?: string;
}

export async function plannedArena(invocation: Invocation): Promise<PlannedArena> {
  const { io } = invocation;
  const resumed = invocation.text("resume");
  if (resumed !== undefined) {
    const dir = resolve(io.cwd, resumed);
    const plan = await storedPlan(dir);
    if (plan === undefined) throw new EngineError("nothing-to-resume", `"${resumed}" holds no arena (no plan.json).`);
    return { plan, dir, file: join(dir, "plan.json") };
  }
  const dir = givenRunFolder(invocation, "arena");
  if ((await storedPlan(dir)) !== undefined) {
    throw new EngineError(
      "target-exists",
      `"${dir}" holds an arena. Go on with it by --resume, or give another --dir.`,
    );
  }
  const file = invocation.text("plan");
  if (file === undefined) return { plan: await planOf(invocation), dir };
  return { plan: readPlan(await givenJson(invocation, file, "the plan"), `"${file}"`), dir, file };
}

async function planOf(invocation: Invocation): Promise<ArenaPlan> {
  const env = invocation.text("env") ?? "household";
  const envOptions = { ...bundledStart(env)?.worldOptions, ...givenValues(invocation, "env-set") };
  const { splits } = await (await getWorld(env)).create(envOptions);
  return readPlan({
    version: 1,
    arms: armsOf(invocation, env),
    seeds: seedsOf(invocation.text("seeds") ?? "3"),
    env,
    envOptions,
    noise: givenNumber(invocation, "noise", { otherwise: 0, low: 0, high: 1 }),
    model: modelFolder(invocation, env),
    budget: parseBudget(invocation.text("budget") ?? "steps=8000"),
    evaluation: {
      every: givenCount(invocation, "validate-every", 3),
      tasks: givenCount(invocation, "validation-tasks", 48),
      split: heldOut(splits, "valid"),
      finalTasks: givenCount(invocation, "final-tasks", 96, 0),
      finalSplit: heldOut(splits, "test"),
      ...(await finalSearch(invocation)),
      retentionTasks: givenCount(invocation, "retention-tasks", 0, 0),
    },
    threads: givenCount(invocation, "threads", 1),
    keepRuns: invocation.flag("keep-runs"),
    baseline: invocation.text("baseline") ?? null,
    ...targetsOf(invocation),
  });
}

/** --search with its options and budget, as the plan keeps it. */
async function finalSearch(invocation: Invocation): Promise<object> {
  const search = await chosenSearch(invocation);
  if (search === undefined) return {};
  const { method, options, budget } = search.config;
  return { finalSearch: { method, options, budget } };
}

/** A setting given for all goes to the arms that have it; one that none has is a slip of the fingers. */
function armsOf(invocation: Invocation, env: string): ArmInput[] {
  const recipes = (invocation.text("recipes") ?? "grpo,gigpo,opid").split(",").map((name) => name.trim());
  const varied = invocation.texts("vary").map(parseVaried);
  const room = Object.entries(roomFor(env)).map(([key, value]) => [key, String(value)] as const);
  const given = [...room, ...parseOptionTexts(invocation, "set")];
  const knows = (recipe: string, key: string): boolean => {
    const known = getRecipe(recipe);
    return Object.hasOwn(settingsTable(known, known.credit), key);
  };
  const stray = given.find(([key]) => !recipes.some((recipe) => knows(recipe, key)));
  if (stray !== undefined) throw usageError(`None of ${recipes.join(", ")} has a setting "${stray[0]}".`);
  return recipes.flatMap((recipe) =>
    variedArms(
      recipe,
      varied,
      given.filter(([key]) => knows(recipe, key)),
    ),
  );
}

function seedsOf(text: string): number[] {
  const range = /^(\d{1,9})-(\d{1,9})$/.exec(text);
  const [first, last] = range === null ? [1, /^\d{1,9}$/.test(text) ? Number(text) : 0] : range.slice(1).map(Number);
  const count = (last ?? 0) - (first ?? 0) + 1;
  if (count >= 1 && count <= 10_000) return Array.from({ length: count }, (_, at) => (first ?? 0) + at);
  throw usageError(`--seeds takes a number of seeds or a range such as 11-20, not "${text}".`);
}

function targetsOf(invocation: Invocation): { readonly targets?: number[] } {
  const text = invocation.text("targets");
  if (text === undefined) return {};
  const targets = text.split(",").map(Number);
  if (targets.every((target) => target > 0 && target <= 1)) return { targets };
  throw usageError(`--targets takes shares above 0 and up to 1, such as 0.6,0.8, not "${text}".`);
}

function modelFolder(invocation: Invocation, env: string): string {
  const given = invocation.text("model");
  return given === undefined ? bundledModel(bundledModelFor(env)) : resolve(invocation.io.cwd, given);
}
