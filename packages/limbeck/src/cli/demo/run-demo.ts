/** The demonstration: fail, train, measure, show again. */
import { availableParallelism } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { EngineError } from "limbeck-base/base/errors";
import { getWorld } from "limbeck-worlds/index";
import type { Env } from "limbeck-core/env/env";
import { worldWords } from "limbeck-core/env/world-words";
import { evaluateAgent, type Evaluation } from "limbeck-core/eval/evaluate";
import { writeReport } from "limbeck-store/report/page";
import { topSkills, type ShownSkill } from "limbeck-store/report/skills";
import { bundledModel } from "limbeck-policy/policy/local/bundled-model";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import { openModel, requireTokenizer } from "limbeck-policy/policy/local/open-model";
import { train } from "limbeck-training/training/train";
import type { EndEvent, TrainEvent } from "limbeck-training/training/events";
import type { TrainOptions } from "limbeck-training/training/options";
import { worldName } from "limbeck-training/training/parts";
import { planTraining } from "limbeck-training/training/plan";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { createTokenAgent } from "limbeck-core/walk/mind/token-agent";
import type { Frame } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { truncate } from "../look/text-width.ts";
import { plural } from "limbeck-base/base/units";
import { reportFailed } from "../report-failed.ts";
import { studioWords } from "../studio/studio-words.ts";
import { digestWords, formatShare, resultOf } from "../train/run-train.ts";
import { givenRunFolder, givenStore } from "../train/run-folder.ts";
import { createView, spark } from "../train/view.ts";
import { typedCommand, typedPath } from "../typed-command.ts";
import { withStore } from "../with-store.ts";
import type { DemoInput } from "./demo.inputs.ts";

/** How much is shown. `midway`: the update after which the held-out errands are played once more. */
interface Length {
  readonly updates: number;
  readonly tasks: number;
  readonly midway?: number;
}
const WHOLE: Length = { updates: 20, tasks: 200, midway: 5 };
const QUICK: Length = { updates: 6, tasks: 100 };

/** Copies of the model that are worth starting for so few episodes. Their number changes no result. */
const MOST_CORES = 4;
const DIAL = { dial: "tiny" };
const WITHOUT_TEACHER = "-without-teacher";

type DemoFrame = Frame<object>;

export async function runDemo(input: DemoInput, frame: DemoFrame): Promise<number> {
  const { cwd, print, style } = frame;
  const dir = await givenRunFolder(frame, "demo");
  const plan = await planOf(input, dir, frame);
  // Invalid options are refused before anything is played.
  await planTraining(plan);

  print(style.bold("Limbeck: an agent that learns from its own hindsight"));
  print(
    "A small language model, running in this process, plays household errands: find a thing, treat it, put it away.",
  );
  printRecorded(frame);
  const failed = (await playValidation(plan, plan.model, frame)).find(({ success }) => success === false);
  if (failed !== undefined) printEpisode(frame, "Before training, an errand it fails", failed);
  printPlan(frame, input.quick);
  const end = await trainOnce(plan, frame);
  const again = failed === undefined ? [] : await playValidation(plan, join(dir, "model"), frame, [failed.task]);
  const other = `${dir}${WITHOUT_TEACHER}`;
  const compared = input.compare
    ? await trainOnce({ ...plan, dir: other, settings: { stopAfter: 0 } }, frame)
    : undefined;

  const report = join(dir, "report.html");
  const runs = [{ dir, label: "OPID" }];
  if (compared !== undefined) runs.push({ dir: other, label: "without the teacher" });
  // What was trained is there already; a report that cannot be written must not take the numbers along.
  const root = plan.store ?? dirname(dir);
  const fault = await withStore(root, async (store) => {
    if (!frame.json) printSkills(frame, await topSkills(store, basename(dir)));
    await writeReport(store, { runs: runs.map((one) => ({ run: basename(one.dir), label: one.label })), file: report });
    return undefined;
  }).catch((cause: unknown) => unreported(cwd, cause, runs));
  for (const trajectory of again) printEpisode(frame, "After training, the same errand", trajectory);
  printEnd(frame, end, compared);
  const shown = relative(cwd, report) || report;
  const studio = studioWords(root, cwd);
  if (fault === undefined) print(`Report, for a browser: ${style.cyan(cleanLine(shown))}`);
  print(`Every episode, word by word: ${style.cyan(cleanLine(studio))}`);
  const run = relative(cwd, dir) || dir;
  const both = compared === undefined ? {} : { compared: resultOf(compared, `${run}${WITHOUT_TEACHER}`) };
  frame.emit({ ...resultOf(end, run), ...both, report: fault === undefined ? shown : null, studio });
  if (fault !== undefined) frame.report(fault);
  return fault === undefined ? EXIT.done : EXIT.failed;
}

type Plan = TrainOptions & { readonly env: Env; readonly model: string };

async function planOf(input: DemoInput, dir: string, frame: DemoFrame): Promise<Plan> {
  const { seed, steps, set, quick, reportTasks, model, threads } = input;
  const length = quick ? QUICK : WHOLE;
  return {
    env: await (await getWorld("household")).create(DIAL),
    envName: worldName("household", DIAL),
    model: model === undefined ? bundledModel("household") : resolve(frame.cwd, model),
    dir,
    ...givenStore(frame),
    steps: steps ?? length.updates,
    report: { tasks: reportTasks ?? length.tasks, ...withoutUndefined({ midway: length.midway }) },
    ...(threads === undefined ? { cores: Math.min(MOST_CORES, availableParallelism()) } : { threads }),
    texts: Object.entries(set as Readonly<Record<string, string>>),
    seed,
    // Validation chooses nothing here; it shows progress on the held-out errands.
    validation: { every: 0 },
    checkpointEvery: 10,
  };
}

async function trainOnce(plan: Plan, frame: DemoFrame): Promise<EndEvent> {
  const view = createView(frame, worldWords("household", DIAL));
  let before: Evaluation | undefined;
  const onEvent = (event: TrainEvent): void => {
    const { kind, ...rest } = event;
    if (!frame.json) view.show(event);
    else if (kind !== "end") frame.emit({ event: kind, ...rest });
    if (kind === "before") before = event.evaluation;
    if (kind === "midway" && before !== undefined) {
      frame.print(`  the same errands before training: ${formatShare(before)}`);
    }
  };
  if (plan.settings !== undefined) frame.print(`\n${frame.style.bold("The same without the teacher")}`);
  try {
    const { now, signal } = frame;
    return await train({ ...plan, onEvent, onProgress: view.progress, now, signal });
  } finally {
    view.close();
  }
}

const VALIDATION_TASKS = 8;
const TEMPERATURE = 0.4;

/** The first validation tasks, played once each; the same draws whenever it is called. */
async function playValidation(
  { env, threads }: Plan,
  folder: string,
  { signal }: DemoFrame,
  wanted?: readonly Task[],
): Promise<readonly Trajectory[]> {
  const model = await openModel(folder, withoutUndefined({ threads }));
  try {
    const tasks = [...(wanted ?? [])];
    if (wanted === undefined)
      for await (const task of env.tasks("valid", { count: VALIDATION_TASKS })) tasks.push(task);
    const dialect = await createChatDialect(requireTokenizer(model));
    const agent = createTokenAgent({ policy: model, dialect, temperature: TEMPERATURE, answerTokens: 24 });
    return (await evaluateAgent({ env, agent, tasks, seed: "shown", signal })).trajectories;
  } finally {
    await model.close();
  }
}

function unreported(
  cwd: string,
  cause: unknown,
  runs: readonly { readonly dir: string; readonly label: string }[],
): EngineError {
  const given = runs.map(({ dir }) => typedPath(dir, cwd));
  const labels = runs.flatMap(({ label }) => ["--label", label]);
  const kept = given.map((dir) => `${dir} holds the weights (in model), the store and the numbers.`);
  kept.push("Where that place cannot be written, --out FILE puts the report elsewhere.");
  return reportFailed(cause, kept.join("\n"), typedCommand(["report", ...given, ...labels]));
}

/** What a run came to that was recorded: something to look at while the live one begins. It is never mixed with what is computed here. */
function printRecorded({ print, style }: DemoFrame): void {
  const training = [
    0.14, 0.2, 0.31, 0.25, 0.41, 0.25, 0.36, 0.34, 0.36, 0.31, 0.38, 0.41, 0.67, 0.5, 0.5, 0.61, 0.61, 0.67, 0.67, 0.5,
  ];
  const failed =
    "go to toilet 1 > take tissuebox 1 > go to sidetable 1 > put tissuebox 1 in sidetable 1 (nothing happens) > look, 8 times";
  const done =
    "go to toilet 1 > take tissuebox 1 > go to sidetable 1 > move tissuebox 1 to sidetable 1 (done in 4 steps)";
  print();
  print(style.bold("Recorded on 19 November 2026, on two x64 cores, seed 1: what it comes to"));
  print("  put some tissuebox on sidetable");
  print(`  before  ${style.dim(failed)}`);
  print(`  after   ${style.dim(done)}`);
  print(`  training episodes that succeed, by update  ${style.green(spark(training))}`);
  print(`  200 held-out errands  0.235 before, ${style.green("0.735")} after 20 updates`);
  print(style.dim("From here on everything is computed on this machine."));
}

function printPlan({ print, style }: DemoFrame, quick: boolean): void {
  print();
  print(style.bold("Training with OPID"));
  for (const line of [
    "Each update: 8 errands, 8 episodes each; skills are written from what worked; a frozen copy of the model reads",
    "the same words again with the skill in front of it; what it then thinks of each word is learned from.",
  ]) {
    print(style.dim(line));
  }
  const { updates, tasks } = WHOLE;
  const fewer = `Quick: fewer updates and errands than the whole demo, which has ${updates} and ${tasks}.`;
  if (quick) print(style.dim(fewer));
}

/** The goal, every action and what came of it, and how it ended. */
function printEpisode({ style, print, io }: DemoFrame, title: string, { task, steps, closing, success }: Trajectory) {
  const width = Math.max(40, Math.min(io.terminal.out ? io.terminal.columns : 100, 100));
  print();
  print(style.bold(title));
  print(style.dim(truncate(cleanLine(task.goal), width)));
  const lines = steps.map((step, at) => [
    style.cyan(`> ${truncate(cleanLine(step.action), width - 16)}`),
    style.dim(truncate(cleanLine(steps[at + 1]?.observation ?? closing?.observation ?? ""), width - 4)),
  ]);
  // The same several times in a row is one entry.
  for (let at = 0, times = 1; at < lines.length; at += 1, times += 1) {
    if (String(lines[at]) === String(lines[at + 1])) continue;
    print(`  ${lines[at]?.[0]}${times > 1 ? style.dim(` (${times} times)`) : ""}`);
    print(`    ${lines[at]?.[1]}`);
    times = 0;
  }
  const count = plural(steps.length, "step");
  print(success === true ? style.green(`  done in ${count}`) : style.yellow(`  not done after ${count}`));
}

/** The skills that changed the teacher's mind most. A shift is an opinion; whether a skill helps is for a measured lift to say. */
function printSkills({ style, print }: DemoFrame, skills: readonly ShownSkill[]): void {
  if (skills.length === 0) return;
  print();
  print(style.bold("Skills that shifted the teacher's opinion most"));
  for (const { level, text, shift, trajectory, step } of skills) {
    const where = style.dim(`seen in ${cleanLine(step === undefined ? trajectory : `${trajectory}, step ${step}`)}`);
    print(`  ${level.padEnd(7)} ${shift >= 0 ? "+" : ""}${shift.toFixed(2)} nats a token  ${where}`);
    print(`          ${cleanLine(text)}`);
  }
  print(style.dim("  A shift is the teacher's opinion of the words the agent chose, not a measured gain."));
}

function printEnd({ style, print }: DemoFrame, end: EndEvent, compared: EndEvent | undefined): void {
  print();
  print(style.bold("Success on held-out errands, which were never trained on (95% interval)"));
  print(`  before  ${formatShare(end.before)}`);
  print(`  after   ${style.green(formatShare(end.after))}`);
  if (compared !== undefined) print(`  after, without the teacher  ${formatShare(compared.after)}`);
  if (end.digest !== undefined) print(style.dim(`  ${digestWords(end.digest)}`));
  print();
}
