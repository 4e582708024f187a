/** From the command line to the plan of an arena. */
import { join, resolve } from "node:path";
import { readPlan, storedPlan, type ArenaPlan } from "../../arena/index.ts";
import { withNamedWorld } from "../../arena/arm-world.ts";
import { parseVaried } from "../../arena/vary.ts";
import { EngineError } from "../../base/index.ts";
import { usageError } from "../../base/errors.ts";
import { givenJson } from "../../base/given-file.ts";
import { resolveInput } from "../../base/operation.ts";
import { isModelPlace } from "../../policy/local/is-gguf.ts";
import { planArena } from "../../run/arena.ts";
import { givenRewards } from "../../run/given-rewards.ts";
import { givenSearch } from "../../run/given-search.ts";
import { searchInputs } from "../../run/search.inputs.ts";
import { newRunName } from "../../training/parts.ts";
import { givenRunFolder } from "../train/run-folder.ts";
import { storeFolder } from "../with-store.ts";
import type { ArenaFrame, ArenaInput } from "./arena.inputs.ts";

export interface PlannedArena {
  readonly plan: ArenaPlan;
  readonly dir: string;
  /** The file it was read from; none where it was typed. */
  readonly file?: string;
}

export async function plannedArena(input: ArenaInput, frame: ArenaFrame): Promise<PlannedArena> {
  const { resume, plan: file } = input;
  if (resume !== undefined) {
    const dir = resolve(frame.cwd, resume);
    const plan = await storedPlan(dir);
    if (plan === undefined) throw new EngineError("nothing-to-resume", `"${resume}" holds no arena (no plan.json).`);
    return { plan, dir, file: join(dir, "plan.json") };
  }
  const store = input.dir === undefined ? storeFolder(frame, "give --dir DIR") : undefined;
  // What is only shown leaves nothing behind.
  const dir =
    input.dryRun && store !== undefined
      ? join(store, newRunName("arena", Date.now()))
      : await givenRunFolder(frame, "arena");
  if ((await storedPlan(dir)) !== undefined) {
    throw new EngineError(
      "target-exists",
      `"${dir}" holds an arena. Go on with it by --resume, or give another --dir.`,
    );
  }
  if (file === undefined) return { plan: await planOf(input, frame), dir };
  const plan = readPlan(await givenJson(frame, file, "the plan"), `"${file}"`);
  return { plan: await withNamedWorld(plan), dir, file };
}

async function planOf(input: ArenaInput, frame: ArenaFrame): Promise<ArenaPlan> {
  const { recipes, seeds, targets, validateEvery: every, validationTasks: tasks, finalTasks, retentionTasks } = input;
  return await planArena({
    ...input,
    arms: recipes?.split(",").map((name) => name.trim()),
    vary: Object.fromEntries(input.vary.map(parseVaried)),
    reward: await givenRewards(input, frame),
    seeds: seeds === undefined ? undefined : seedsOf(seeds),
    model: input.model === undefined ? undefined : await modelIn(frame.cwd, input.model),
    evaluation: { every, tasks, finalTasks, ...(await finalSearch(input, frame)), retentionTasks },
    targets: targets === undefined ? undefined : targetsOf(targets),
  });
}

/** Each arm would find out for itself, one after the other. */
async function modelIn(cwd: string, given: string): Promise<string> {
  const path = resolve(cwd, given);
  if (await isModelPlace(path)) return path;
  throw usageError(
    `--model "${given}": it is no model folder (config.json, model.safetensors, tokenizer.json) and no GGUF file.`,
  );
}

/** --search with its options and budget, as the plan keeps it. */
async function finalSearch({ search, searchOptions, searchBudget }: ArenaInput, frame: ArenaFrame): Promise<object> {
  if (search === undefined) return {};
  const others = resolveInput(searchInputs, { searchOptions, searchBudget }, "limbeck arena");
  const { method, options, budget } = (await givenSearch(search, others, frame)).config;
  return { finalSearch: { method, options, budget } };
}

function seedsOf(text: string): number[] {
  const range = /^(\d{1,9})-(\d{1,9})$/.exec(text);
  const [first, last] = range === null ? [1, /^\d{1,9}$/.test(text) ? Number(text) : 0] : range.slice(1).map(Number);
  const count = (last ?? 0) - (first ?? 0) + 1;
  if (count >= 1 && count <= 10_000) return Array.from({ length: count }, (_, at) => (first ?? 0) + at);
  throw usageError(`--seeds takes a number of seeds or a range such as 11-20, not "${text}".`);
}

function targetsOf(text: string): number[] {
  const targets = text.split(",").map(Number);
  if (targets.every((target) => target > 0 && target <= 1)) return targets;
  throw usageError(`--targets takes shares above 0 and up to 1, such as 0.6,0.8, not "${text}".`);
}
