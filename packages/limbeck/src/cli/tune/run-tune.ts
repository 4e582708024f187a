/** A tune from the command line: plan, run, say what was found and how to train with it. */
import { relative, resolve } from "node:path";
import { checkPlannedWorlds } from "limbeck-training/arena/arm-world";
import type { JournalLine } from "limbeck-training/arena/journal";
import { withSign, amountWords, estimateWords } from "limbeck-training/arena/words";
import { type StoredTune, storedTune } from "limbeck-training/arena/tune/stored-tune";
import { type TunedTrial, tuneWords } from "limbeck-training/arena/tune/tuned";
import { roundSizes } from "limbeck-training/arena/tune/halving";
import { usageError, EngineError } from "limbeck-base/base/errors";
import { namesFile, splitName } from "limbeck-base/base/parts/part";
import { worldWords } from "limbeck-core/env/world-words";
import { givenRewards } from "../../run/given-rewards.ts";
import { planTune, tune, type Tuned, TUNED_RECIPE, type TuneEvent, type TuneOptions } from "../../run/tune.ts";
import { type ArenaView, createArenaView } from "../arena/view.ts";
import { wordsFor } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { printTable, right } from "../look/table.ts";
import { formatCount, plural } from "limbeck-base/base/units";
import { givenRunFolder } from "../train/run-folder.ts";
import { typedCommand, typedPath } from "../typed-command.ts";
import { trialInputs, type TuneFrame, type TuneInput } from "./tune.inputs.ts";

export async function runTune(input: TuneInput, frame: TuneFrame): Promise<number> {
  const { resume, dryRun, jobs } = input;
  const planned = await (resume === undefined
    ? planTune(await tuneOptions(input, frame))
    : heldTune(resume, input, frame));
  const dir = resume !== undefined ? resolve(frame.cwd, resume) : dryRun ? "" : await newFolder(frame);
  announce(frame, planned);
  if (dryRun) return EXIT.done;
  const view = createTuneView(frame, planned);
  const { signal, now } = frame;
  let found: Tuned;
  try {
    found = await tune({ plan: planned, resume: resume !== undefined, jobs, dir, signal, now, onEvent: view.hear });
  } catch (error) {
    if (signal.aborted) frame.note(`Go on with: ${typedCommand(["tune", "--resume", typedPath(dir, frame.cwd)])}`);
    throw error;
  } finally {
    view.close();
  }
  if (frame.json) printTuneJson(frame, found);
  else printFound(frame, found);
  return found.outcome === "failed" ? EXIT.failed : EXIT.done;
}

async function newFolder(frame: TuneFrame): Promise<string> {
  const dir = await givenRunFolder(frame, "tune");
  if ((await storedTune(dir)) === undefined) return dir;
  throw new EngineError("target-exists", `"${dir}" holds a tune. Go on with it by --resume, or give another --dir.`);
}

async function heldTune(
  given: string,
  { allowCommands: commands, allowAddresses: addresses }: TuneInput,
  { cwd }: TuneFrame,
): Promise<StoredTune> {
  const planned = await storedTune(resolve(cwd, given));
  if (planned === undefined) throw new EngineError("nothing-to-resume", `"${given}" holds no tune (no tune.json).`);
  const allowed = { commands, addresses };
  await checkPlannedWorlds(planned.plan, { file: `${given}/tune.json`, allowed, command: "limbeck tune" });
  return planned;
}

function announce(frame: TuneFrame, { plan, trials, budget, jobs }: StoredTune): void {
  const { style, print } = frame;
  const rounds = roundSizes(trials.length);
  const { env, envOptions, seeds } = plan;
  const { split } = plan.evaluation;
  const names = trials.map(({ name }) => name);
  const given = `${budget.account}=${budget.amount}`;
  frame.emit({ event: "plan", env, envOptions, split, trials: names, seeds, rounds, budget: given, jobs });
  const budgetWords =
    budget.account === "minutes"
      ? `${budget.amount} ${budget.amount === 1 ? "minute" : "minutes"}`
      : amountWords(budget.amount, budget.account);
  const recipe = cleanLine(plan.arms[0]?.recipe ?? "");
  print(
    `${style.bold("Tune")}: ${recipe} on ${cleanLine(worldWords(plan.env, plan.envOptions))}, split ${cleanLine(plan.evaluation.split)}, ${plural(trials.length, "setting")} × ${plural(plan.seeds.length, "seed")}, ${budgetWords} in all, rounds of ${rounds.join(", ")}, ${jobs} side by side`,
  );
  for (const { name, own } of trials) print(`  ${cleanLine(name)}${own ? style.dim("  the recipe's own") : ""}`);
  if (plan.evaluation.split === "train") {
    frame.note("! The world has neither validation nor other tasks: settings are judged on training tasks.");
  }
}

/** Each round is shown as the arena that it is. */
function createTuneView(
  frame: TuneFrame,
  { plan, budget }: StoredTune,
): { readonly hear: (event: TuneEvent) => void; readonly close: () => void } {
  const { style, print } = frame;
  let view: ArenaView | undefined;
  /** The first point of each run: in a later round it begins where it began, not where it went on. */
  const starts = new Map<string, JournalLine>();
  const hear = (event: TuneEvent): void => {
    if (event.kind === "round") {
      const { round, rounds, trials, amount } = event;
      frame.emit({ event: "round", round, trials, amount });
      const account = budget.account === "minutes" ? "seconds" : budget.account;
      print(
        style.bold(`Round ${round} of ${rounds}`) +
          `: ${plural(trials.length, "setting")}, each to ${amountWords(amount, account)}`,
      );
      const arms = plan.arms.filter(({ name }) => trials.includes(name));
      view = createArenaView(frame, { ...plan, arms, budget: { account, amount } });
    } else if (event.kind === "line") {
      const { run, line } = event;
      const key = `${run.arm}/${run.seed}`;
      const start = starts.get(key);
      if (line.kind === "point" && start !== undefined) view?.line(run, start);
      if (line.kind === "point" && start === undefined) starts.set(key, line);
      view?.line(run, line);
      if (line.kind !== "point") return;
      const { update, environmentSteps, success } = line;
      frame.emit({ event: "point", ...run, update, environmentSteps, success });
    } else if (event.kind === "end") {
      view?.end(event.run, event.ended);
      frame.emit({ event: "run", ...event.run, ...event.ended });
    } else view?.close();
  };
  return { hear, close: () => view?.close() };
}

function printFound(frame: TuneFrame, found: Tuned): void {
  const { style, print } = frame;
  const { trials, tune: held } = found;
  print();
  const settings = Object.keys(trials[0]?.values ?? {});
  printTable(
    frame,
    [
      ...settings.map((name) => right(name)),
      right("rounds"),
      "validation success",
      "gain from the start",
      right("updates"),
      right("steps"),
      "",
    ],
    trials.map((one) => [
      ...settings.map((name) => one.values[name] ?? ""),
      String(one.rounds),
      estimateWords(one.success),
      estimateWords(one.gain, withSign),
      Number.isNaN(one.updates) ? "–" : one.updates.toFixed(1),
      Number.isNaN(one.steps) ? "–" : formatCount(Math.round(one.steps)),
      remark(one, found),
    ]),
  );
  print();
  const [first = "", ...more] = tuneWords(found).map(cleanLine);
  print(style.bold(first));
  for (const line of more) print(line);
  const command = foundCommand(found);
  if (command !== null) {
    print();
    print(style.cyan(command));
  }
  print(
    style.dim(`Kept in ${cleanLine(relative(frame.cwd, found.dir) || found.dir)}; spent: ${spentWords(held, found)}`),
  );
}

function remark({ name, own, failures }: TunedTrial, { best, tooClose }: Tuned): string {
  const [failure] = failures;
  if (failure !== undefined) return `failed: ${failure}`;
  const words = [
    ...(name === best?.name ? ["best"] : []),
    ...(own ? ["the recipe's own"] : []),
    ...(best !== null && tooClose.includes(name) ? ["too close to call"] : []),
  ];
  return words.join(", ");
}

/** Time is counted once for each run side by side. */
function spentOf({ budget, jobs }: StoredTune, { rounds }: Tuned): number {
  const spent = rounds.at(-1)?.spent ?? 0;
  return budget.account === "minutes" ? spent / 60 / jobs : spent;
}

function spentWords(held: StoredTune, found: Tuned): string {
  const { account } = held.budget;
  const spent = spentOf(held, found);
  return account === "minutes"
    ? `${spent.toFixed(1)} minutes in ${plural(found.rounds.length, "round")}`
    : `${amountWords(Math.round(spent), account)} in ${plural(found.rounds.length, "round")}`;
}

/** The line to train with. */
function foundCommand({ best, tune: { words } }: Tuned): string | null {
  return best === null ? null : typedCommand(trainWords(words, best.values));
}

function printTuneJson(frame: TuneFrame, found: Tuned): void {
  const { trials, comparisons, best, outcome, tooClose, rounds, tune: held, dir } = found;
  for (const trial of trials) frame.emit({ event: "trial", ...trial });
  for (const {
    left,
    right: best,
    difference,
    interval: { low, high },
    better,
    moreSeeds,
  } of comparisons) {
    frame.emit({ event: "comparison", left, right: best, difference, low, high, better, moreSeeds });
  }
  frame.emit({
    outcome,
    best: best?.name ?? null,
    values: best?.values ?? null,
    tooClose,
    rounds: rounds.length,
    spent: spentOf(held, found),
    command: foundCommand(found),
    words: tuneWords(found),
    dir: relative(frame.cwd, dir) || dir,
  });
}

// From the command line to what a tune is asked for, and back to a line that trains.

async function tuneOptions(input: TuneInput, frame: TuneFrame): Promise<TuneOptions> {
  return {
    ...input,
    reward: await givenRewards(input, frame),
    model: input.model === undefined ? undefined : resolve(frame.cwd, input.model),
    over: givenOver(input),
    words: trialWords(input, frame),
  };
}

/** --over NAME=A,B,C, or a name alone. */
function givenOver({ over }: TuneInput): NonNullable<TuneOptions["over"]> {
  const given = over.map((one) => {
    const at = one.indexOf("=");
    const name = (at < 0 ? one : one.slice(0, at)).trim();
    if (name === "") throw usageError(`--over takes NAME=A,B,C or a NAME, not "${one}".`);
    return [name, at < 0 ? null : one.slice(at + 1).split(",")] as const;
  });
  const twice = given.find(([name], at) => given.findIndex(([other]) => other === name) !== at);
  if (twice !== undefined)
    throw usageError(`--over has "${twice[0]}" twice. Give all its values at once: --over ${twice[0]}=A,B,C.`);
  return Object.fromEntries(given);
}

/** What was typed and a training takes too; files by their paths. */
function trialWords(input: TuneInput, { cwd, given }: TuneFrame): string[] {
  const typed = Object.entries(trialInputs).flatMap(([name]) => {
    const value = input[name as keyof typeof trialInputs];
    const isFile = typeof value === "string" && namesFile(value) && value.includes("#");
    return given(name) ? [[name, isFile ? typedPath(splitName(value).file, cwd) : value] as const] : [];
  });
  return wordsFor(trialInputs, { recipe: TUNED_RECIPE, ...Object.fromEntries(typed) });
}

/** Parts and the world have options of their own; everything else is a setting. */
function trainWords(words: readonly string[], values: Readonly<Record<string, string>>): string[] {
  const found = Object.entries(values).flatMap(([name, value]) => {
    if (["credit", "strategy", "objective", "preset", "reward", "model"].includes(name)) return [`--${name}`, value];
    return name.startsWith("env.")
      ? ["--env-set", `${name.slice("env.".length)}=${value}`]
      : ["--set", `${name}=${value}`];
  });
  return ["train", ...words, ...found];
}
