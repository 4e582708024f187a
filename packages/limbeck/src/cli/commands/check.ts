/** `limbeck check`: whether a file of one's own keeps the contract of what it holds. */
import type { Runner } from "limbeck-base/base/test-runner";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { input } from "limbeck-base/base/input";
import type { LoadedPart } from "limbeck-base/base/parts/load-part";
import { createRng } from "limbeck-base/base/rng";
import type { CreditMethod } from "limbeck-core/credit/credit";
import type { World, WorldOptions } from "limbeck-core/env/world";
import type { RewardMethod } from "limbeck-core/reward/reward";
import type { AgentDefinition } from "limbeck-core/walk/mind/define-agent";
import { defineCommand } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { envPart } from "limbeck-worlds/env.part";
import { plural } from "limbeck-base/base/units";

export const check = defineCommand({
  group: "look",
  summary: "Check a world, reward or method of your own against its contract",
  description:
    "The file is TypeScript or JavaScript; its default export is made by defineWorld, defineReward, defineCredit, defineStrategy, defineSearch, defineRecipe or defineObjective of limbeck, or defineAgent of limbeck/search. Every promise of that kind of part is tried, and what breaks one is printed with the shortest script that shows it. The exit code is 1 when a promise is broken.\n" +
    "Recipes, objectives and agents are only made and looked at; the others are run. The suites need the package fast-check. docs/learn/your-own-parts.md tells of such files.\n" +
    "With --env it is a dry run of somebody's world, such as python:MODULE or openenv: a few episodes by its demonstrator, by answers that are given, by lot among listed actions and by nonsense. It says what they earn, whether the lists of actions hold, and whether answers come and episodes end; the exit code is 1 when something is wrong. Nothing is forked. docs/learn/dry-run.md shows one.",
  input: {
    file: input.path("FILE", "What is checked", { at: 0 }),
    env: input.part(envPart, "ID", "A dry run of this world, in the place of a file"),
    runs: input.count("N", "Random scripts or batches for each promise", { default: 10 }),
    options: input.values("NAME=VALUE", "An option of the part", { flag: "set" }),
    turns: input.flag("Worlds: a refused action may use up a turn"),
    tasks: input.count("N", "With --env: tasks of the first split", { default: 4 }),
    answers: input.texts("TEXT", "With --env: an answer to try; several are given in turn", { flag: "answer" }),
    seconds: input.number("N", "With --env: time that an answer of the world may take", { above: 0, default: 30 }),
  },
  rules: [
    {
      oneOf: ["file", "env"],
      say: '"limbeck check" takes either a FILE of your own, or --env ID for a dry run of a world.',
    },
    { only: ["tasks", "answers", "seconds"], with: "env", say: "belongs to --env ID, a dry run of a world." },
    { only: ["runs", "turns"], with: "file", say: "belongs to a FILE, whose promises are tried." },
  ],
  examples: [
    "limbeck check ./world.ts",
    "limbeck check ./reward.ts --runs 50",
    "limbeck check ./world.ts --json",
    "limbeck check --env python:./my_env.py --set successAt=1 --answer 42",
  ],
  line: {
    check: "a promise",
    ok: "whether it holds",
    error: "code and message of what breaks it; null where it holds",
    kind: "last line: what the file holds",
    name: "last line: its path and content hash",
    checks: "last line: promises tried",
    failed: "last line: promises broken; with --env, faults",
    player: "--env: who played; with episodes, solved, least and most reward, steps and refused",
    about: "--env: a finding on rewards, masks (lists of actions) or hangs; with fault and message",
    moments: "--env, last line: moments of all episodes; with listed, shortest, longest and slowestMs",
    "*": "--env: those fields",
  },
  run: async ({ file, ...input }, frame) => {
    if (file === undefined) return await (await import("../look/show-dry-run.ts")).showDryRun(input, frame);
    const { loadPart } = await import("limbeck-base/base/parts/load-part");
    const { ownEntry } = await import("../methods/all-methods.ts");
    const { style, print } = frame;
    const given = await loadPart(file, { cwd: frame.cwd });
    const { kind, name } = given;
    const { title } = ownEntry(given);
    const checks = await checksOf(given, input);
    print(`${style.bold(cleanLine(title))}  ${style.dim(`${kind}, ${name}`)}`);
    let failed = 0;
    for (const [promise, run] of checks) {
      const error = await faultOf(run);
      if (error !== null) failed += 1;
      frame.emit({ check: promise, ok: error === null, error });
      print(`${error === null ? "✓" : "✗"} ${promise}`);
      if (error !== null) print(`    ${error.code}: ${cleanLine(error.message)}`);
    }
    frame.emit({ kind, name, checks: checks.length, failed });
    const broken = `${plural(failed, "promise")} of ${checks.length} broken.`;
    print(failed === 0 ? `All ${checks.length} hold.` : broken);
    return failed === 0 ? EXIT.done : EXIT.failed;
  },
});

/** What went wrong, as data; its cause first where a suite only says that something did. */
async function faultOf(run: () => unknown): Promise<{ readonly code: string; readonly message: string } | null> {
  try {
    await run();
    return null;
  } catch (error) {
    const { code, message } = errorData(error);
    // What the suite itself lacks breaks no promise of the file.
    if (code === "package-missing") throw error;
    const known = code === "internal" && error instanceof Error && error.cause instanceof EngineError;
    return known ? errorData(error.cause) : { code, message };
  }
}

interface CheckInput {
  readonly runs: number;
  readonly options: WorldOptions;
  readonly turns: boolean;
}

type Checks = [promise: string, run: () => unknown][];

async function checksOf({ part, name, kind }: LoadedPart, { runs, options, turns }: CheckInput): Promise<Checks> {
  const checks: Checks = [];
  // The suites are made for test runners; this one collects.
  const runner: Runner = {
    describe: (_, body) => body(),
    test: (title, body) => void checks.push([title, body]),
  };
  const suites: Readonly<Record<string, () => Promise<unknown>>> = {
    environment: async () => {
      const { envContract } = await import("limbeck-core/env/env.contract");
      const world = part as World;
      const invalidChanges = turns ? "turn" : "nothing";
      envContract({
        name,
        env: () => world.create(options),
        demonstrators: world.demonstrators,
        runner,
        runs,
        invalidChanges,
        seed: 1,
      });
    },
    reward: async () => {
      const { rewardContract } = await import("limbeck-core/reward/reward.contract");
      rewardContract({ name, reward: part as RewardMethod, options: [options], runner, runs });
    },
    "credit method": async () => {
      const { creditContract } = await import("limbeck-core/credit/credit.contract");
      creditContract({ name, credit: part as CreditMethod, runner, runs });
    },
    strategy: async () => {
      const { createStrategy } = await import("limbeck-core/rollout/registry");
      const { strategyContract } = await import("limbeck-core/rollout/strategy.contract");
      strategyContract({ name, create: () => createStrategy(name, options), tasks: 2, runner });
    },
    search: async () => {
      const { createSearch } = await import("limbeck-core/search/registry");
      const { searchContract } = await import("limbeck-core/search/search.contract");
      searchContract({ name, create: () => createSearch(name, options), budgets: 1, runner });
    },
    recipe: async () => {
      const { getRecipe } = await import("limbeck-core/recipe/registry");
      checks.push(["look-ups find it", () => getRecipe(name)]);
    },
    agent: async () => checks.push(["it is made, and can act", () => actOnce(part as AgentDefinition)]),
  };
  const made = (): object => (part as { create: (given: object) => object }).create(options);
  await (suites[kind] ?? (async () => checks.push(["it is made with its options", made])))();
  return checks;
}

/** A script chooses once; models are only opened, not called, because calls may cost money. */
async function actOnce(definition: AgentDefinition): Promise<void> {
  const made = await definition.create();
  if (!("start" in made)) return;
  const task = { id: "check", env: "check", seed: 1, goal: "Look around.", split: "train" };
  made.start(task, createRng(1)).next({ action: undefined, observation: "A room.", admissible: ["look"] });
}
