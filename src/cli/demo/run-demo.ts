/** The demonstration: fail, train, measure, show again. */
import { availableParallelism } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { withoutUndefined, type EngineError, type OptionValue } from "../../base/index.ts";
import { getWorld } from "../../env/index.ts";
import { worldWords } from "../../env/world-words.ts";
import { writeReport, type Evaluation } from "../../eval/index.ts";
import { topSkills } from "../../eval/report/skills.ts";
import { bundledModel } from "../../policy/local/bundled-model.ts";
import { openModel } from "../../policy/local/index.ts";
import { train, type EndEvent, type TrainEvent, type TrainOptions } from "../../training/index.ts";
import { worldName } from "../../training/parts.ts";
import { planTraining } from "../../training/plan.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { givenCount, maybeCount } from "../model/open-given.ts";
import { parseOptionTexts } from "../play/world-options.ts";
import { reportFailed } from "../report-failed.ts";
import { studioWords } from "../studio/studio-words.ts";
import { digestWords, formatShare, resultOf } from "../train/run-train.ts";
import { givenRunFolder, givenStore } from "../train/run-folder.ts";
import { createView } from "../train/view.ts";
import { typedCommand, typedPath } from "../typed-command.ts";
import { withStore } from "../with-store.ts";
import { playValidation, printEpisode } from "./one-episode.ts";
import { printRecorded } from "./recorded.ts";
import { printSkills } from "./shown-skills.ts";

/** How much is shown. `midway`: the update after which the held-out errands are played once more, for whoever waits. */
interface Length {
  readonly updates: number;
  readonly tasks: number;
  readonly midway?: number;
}
const WHOLE: Length = { updates: 20, tasks: 200, midway: 5 };
const QUICK: Length = { updates: 6, tasks: 100 };

/** Copies of the model that are worth starting for so few episodes. Their number changes no result. */
const MOST_CORES = 4;

export async function runDemo(invocation: Invocation): Promise<number> {
  const { io, style, print } = invocation;
  const env = await (await getWorld("household")).create({ dial: "tiny" });
  const given = invocation.text("model");
  const folder = given === undefined ? bundledModel("household") : resolve(io.cwd, given);
  const threads = withoutUndefined({ threads: maybeCount(invocation, "threads") });
  const length = invocation.flag("quick") ? QUICK : WHOLE;
  const dir = await givenRunFolder(invocation, "demo");

  const playModel = async (from: string, tasks?: readonly Task[]): Promise<readonly Trajectory[]> => {
    const model = await openModel(from, threads);
    try {
      return await playValidation(model, env, io.signal, tasks);
    } finally {
      await model.close();
    }
  };

  const plan = {
    env,
    model: folder,
    dir,
    ...givenStore(invocation),
    steps: givenCount(invocation, "steps", length.updates),
    report: {
      tasks: givenCount(invocation, "report-tasks", length.tasks),
      ...withoutUndefined({ midway: length.midway }),
    },
    ...(threads.threads === undefined ? { cores: Math.min(MOST_CORES, availableParallelism()) } : threads),
  };
  // What cannot be meant is said before anything is played.
  await planTraining(trainingOf(invocation, { ...plan, given: {} }));

  print(style.bold("Limbeck: an agent that learns from its own hindsight"));
  print(
    "A small language model, running in this process, plays household errands: find a thing, treat it, put it away.",
  );
  printRecorded(invocation);
  const first = await playModel(folder);
  const failed = first.find(({ success }) => success === false);
  if (failed !== undefined) printEpisode(invocation, "Before training, an errand it fails", failed);

  print();
  print(style.bold("Training with OPID"));
  print(
    style.dim(
      "Each update: 8 errands, 8 episodes each; skills are written from what worked; a frozen copy of the model reads",
    ),
  );
  print(
    style.dim("the same words again with the skill in front of it; what it then thinks of each word is learned from."),
  );
  if (invocation.flag("quick")) {
    const { updates, tasks } = WHOLE;
    print(style.dim(`Quick: fewer updates and errands than the whole demo, which has ${updates} and ${tasks}.`));
  }
  const end = await trainOnce(invocation, { ...plan, given: {} });

  const again = failed === undefined ? [] : await playModel(join(dir, "model"), [failed.task]);
  const compared = invocation.flag("compare")
    ? await trainOnce(invocation, { ...plan, dir: `${dir}-without-teacher`, given: { stopAfter: 0 } })
    : undefined;

  const report = join(dir, "report.html");
  const runs = [
    { dir, label: "OPID" },
    ...(compared === undefined ? [] : [{ dir: `${dir}-without-teacher`, label: "without the teacher" }]),
  ];
  // What was trained is there already; a report that cannot be written must not take the numbers along.
  const root = givenStore(invocation).store ?? dirname(dir);
  const fault = await withStore(root, async (store) => {
    if (!invocation.json) printSkills(invocation, await topSkills(store, basename(dir)));
    await writeReport(store, { runs: runs.map((one) => ({ run: basename(one.dir), label: one.label })), file: report });
    return undefined;
  }).catch((cause: unknown) => unreported(invocation, cause, runs));
  for (const trajectory of again) printEpisode(invocation, "After training, the same errand", trajectory);
  printEnd(invocation, end, compared);
  const shown = relative(io.cwd, report) || report;
  const studio = studioWords(root, io.cwd);
  if (fault === undefined) print(`Report, for a browser: ${style.cyan(cleanLine(shown))}`);
  print(`Every episode, word by word: ${style.cyan(cleanLine(studio))}`);
  if (invocation.json) {
    const run = relative(io.cwd, dir) || dir;
    const other = compared === undefined ? {} : { compared: resultOf(compared, `${run}-without-teacher`) };
    invocation.printJson({ ...resultOf(end, run), ...other, report: fault === undefined ? shown : null, studio });
  }
  if (fault === undefined) return EXIT.done;
  invocation.report(fault);
  return EXIT.failed;
}

function unreported(
  { io }: Invocation,
  cause: unknown,
  runs: readonly { readonly dir: string; readonly label: string }[],
): EngineError {
  const given = runs.map(({ dir }) => typedPath(dir, io.cwd));
  const labels = runs.flatMap(({ label }) => ["--label", label]);
  const kept = given.map((dir) => `${dir} holds the weights (in model), the store and the numbers.`);
  kept.push("Where that place cannot be written, --out FILE puts the report elsewhere.");
  return reportFailed(cause, kept.join("\n"), typedCommand(["report", ...given, ...labels]));
}

interface OneRun
  extends
    Required<Pick<TrainOptions, "env" | "dir" | "steps" | "model" | "report">>,
    Pick<TrainOptions, "threads" | "cores"> {
  readonly given: Readonly<Record<string, OptionValue>>;
}

function trainingOf(invocation: Invocation, { given, ...options }: OneRun): TrainOptions {
  return {
    ...options,
    envName: worldName("household", { dial: "tiny" }),
    settings: given,
    texts: parseOptionTexts(invocation, "set"),
    seed: givenCount(invocation, "seed", 1, 0),
    // Nothing is chosen by validation here; whoever waits is shown the held-out errands.
    validation: { every: 0 },
    checkpointEvery: 10,
  };
}

async function trainOnce(invocation: Invocation, run: OneRun): Promise<EndEvent> {
  const view = createView(invocation, worldWords("household", { dial: "tiny" }));
  let before: Evaluation | undefined;
  const onEvent = (event: TrainEvent): void => {
    const { kind, ...rest } = event;
    if (!invocation.json) view.show(event);
    else if (kind !== "end") invocation.printJson({ event: kind, ...rest });
    if (kind === "before") before = event.evaluation;
    if (kind === "midway" && before !== undefined) {
      invocation.print(`  the same errands before training: ${formatShare(before)}`);
    }
  };
  if (Object.keys(run.given).length > 0) invocation.print(`\n${invocation.style.bold("The same without the teacher")}`);
  try {
    return await train({
      ...trainingOf(invocation, run),
      onEvent,
      onProgress: view.progress,
      now: () => invocation.io.now(),
      signal: invocation.io.signal,
    });
  } finally {
    view.close();
  }
}

function printEnd(invocation: Invocation, end: EndEvent, compared: EndEvent | undefined): void {
  const { style, print } = invocation;
  print();
  print(style.bold("Success on held-out errands, which were never trained on (95% interval)"));
  print(`  before  ${formatShare(end.before)}`);
  print(`  after   ${style.green(formatShare(end.after))}`);
  if (compared !== undefined) print(`  after, without the teacher  ${formatShare(compared.after)}`);
  if (end.digest !== undefined) print(style.dim(`  ${digestWords(end.digest)}`));
  print();
}
