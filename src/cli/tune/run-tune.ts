/** A tune from the command line: plan, run, say what was found and how to train with it. */
import { relative, resolve } from "node:path";
import { checkPlannedWorlds } from "../../arena/arm-world.ts";
import { createArenaView, type ArenaView } from "../arena/view.ts";
import { withSign, tuneWords, type JournalLine, type StoredTune, type TunedTrial } from "../../arena/index.ts";
import { amountWords } from "../../arena/words.ts";
import { roundSizes } from "../../arena/tune/halving.ts";
import { estimateWords } from "../../arena/words.ts";
import { storedTune } from "../../arena/tune/stored-tune.ts";
import { EngineError } from "../../base/index.ts";
import { worldWords } from "../../env/world-words.ts";
import { planTune, tune, type Tuned, type TuneEvent } from "../../run/tune.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, right } from "../look/table.ts";
import { formatCount, plural } from "../look/units.ts";
import { givenRunFolder } from "../train/run-folder.ts";
import { typedCommand, typedPath } from "../typed-command.ts";
import { trainWords, tuneOptions } from "./tune-options.ts";
import type { TuneFrame, TuneInput } from "./tune.inputs.ts";

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
