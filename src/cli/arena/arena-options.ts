/** From the command line to the plan of an arena. */
import { join, resolve } from "node:path";
import { storeFolder } from "../with-store.ts";
import { EngineError } from "../../base/index.ts";
import { readPlan, storedPlan, type ArenaPlan } from "../../arena/index.ts";
import { withNamedWorld } from "../../arena/arm-world.ts";
import { parseVaried } from "../../arena/vary.ts";
import { planArena } from "../../run/arena.ts";
import type { Invocation } from "../command.ts";
import { givenJson } from "../../base/given-file.ts";
import { maybeCount, maybeNumber } from "../model/open-given.ts";
import { givenValues, parseOptionTexts } from "../play/world-options.ts";
import { usageError } from "../parse.ts";
import { chosenSearch } from "../search/chosen-search.ts";
import { givenRewards } from "../train/given-rewards.ts";
import { newRunName } from "../../training/parts.ts";
import { isModelPlace } from "../../policy/local/is-gguf.ts";
import { givenRunFolder } from "../train/run-folder.ts";

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
  if (invocation.text("dir") === undefined) storeFolder(invocation, "give --dir DIR");
  // What is only shown leaves nothing behind.
  const shown = invocation.flag("dry-run") && invocation.text("dir") === undefined;
  const dir = shown
    ? join(storeFolder(invocation, "give --dir DIR"), newRunName("arena", Date.now()))
    : await givenRunFolder(invocation, "arena");
  if ((await storedPlan(dir)) !== undefined) {
    throw new EngineError(
      "target-exists",
      `"${dir}" holds an arena. Go on with it by --resume, or give another --dir.`,
    );
  }
  const file = invocation.text("plan");
  if (file === undefined) return { plan: await planOf(invocation), dir };
  const plan = readPlan(await givenJson(invocation.io, file, "the plan"), `"${file}"`);
  return { plan: await withNamedWorld(plan), dir, file };
}

async function planOf(invocation: Invocation): Promise<ArenaPlan> {
  const [model, seeds] = [invocation.text("model"), invocation.text("seeds")];
  return await planArena({
    arms: invocation
      .text("recipes")
      ?.split(",")
      .map((name) => name.trim()),
    vary: Object.fromEntries(invocation.texts("vary").map(parseVaried)),
    settings: Object.fromEntries(parseOptionTexts(invocation, "set")),
    reward: await givenRewards(invocation),
    seeds: seeds === undefined ? undefined : seedsOf(seeds),
    env: invocation.text("env"),
    envOptions: givenValues(invocation, "env-set"),
    noise: maybeNumber(invocation, "noise", { low: 0, high: 1 }),
    model: model === undefined ? undefined : await givenModel(invocation, model),
    budget: invocation.text("budget"),
    evaluation: {
      every: maybeCount(invocation, "validate-every"),
      tasks: maybeCount(invocation, "validation-tasks"),
      finalTasks: maybeCount(invocation, "final-tasks", 0),
      ...(await finalSearch(invocation)),
      retentionTasks: maybeCount(invocation, "retention-tasks", 0),
    },
    threads: maybeCount(invocation, "threads"),
    keepRuns: invocation.flag("keep-runs"),
    baseline: invocation.text("baseline"),
    ...targetsOf(invocation),
  });
}

/** Each arm would find out for itself, one after the other. */
async function givenModel(invocation: Invocation, given: string): Promise<string> {
  const path = resolve(invocation.io.cwd, given);
  if (await isModelPlace(path)) return path;
  throw usageError(
    `--model "${given}": it is no model folder (config.json, model.safetensors, tokenizer.json) and no GGUF file.`,
  );
}

/** --search with its options and budget, as the plan keeps it. */
async function finalSearch(invocation: Invocation): Promise<object> {
  const search = await chosenSearch(invocation);
  if (search === undefined) return {};
  const { method, options, budget } = search.config;
  return { finalSearch: { method, options, budget } };
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
