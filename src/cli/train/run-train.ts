/** A training from the command line: plan, run, show. */
import { basename, dirname, relative, resolve } from "node:path";
import { storeFolder } from "../with-store.ts";
import { isObjectAddress } from "../../base/object-address.ts";
import { allowedValues } from "../../base/options.ts";
import { storedWorldWords } from "../../env/world-words.ts";
import type { Evaluation } from "../../eval/index.ts";
import { evaluationWords } from "../../eval/evaluate.ts";
import { settingsTable } from "../../recipe/settings.ts";
import {
  train,
  trainInTurn,
  trainingSchema,
  type EndEvent,
  type Trained,
  type TrainInTurnEvent,
  type TrainOptions,
  type WorldPart,
} from "../../training/index.ts";
import { chosenMethods } from "../../training/plan.ts";
import type { Invocation } from "../command.ts";
import { usageError } from "../parse.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printSchema } from "../look/print-schema.ts";
import { tableLines } from "../look/table.ts";
import { formatDuration, plural } from "../look/units.ts";
import { typedCommand, typedPath } from "../typed-command.ts";
import { givenGpu, trainOnGpu } from "./on-gpu.ts";
import { chosenNames, givenTasksAfter, trainOptions } from "./training-options.ts";
import { createView } from "./view.ts";

export async function runTrain(invocation: Invocation): Promise<number> {
  if (invocation.flag("settings")) return await listSettings(invocation);
  if (invocation.flag("schema")) {
    const { file: _file, preset: _preset, ...names } = await chosenNames(invocation);
    return printSchema(invocation, trainingSchema(names));
  }
  const gpu = givenGpu(invocation);
  const options = await trainOptions(invocation);
  const next = givenTasksAfter(invocation);
  const view = createView(invocation, storedWorldWords(options.envName ?? ""));
  const say = (event: TrainInTurnEvent): void => {
    if (!invocation.json) view.show(event);
    else if (event.kind !== "end") {
      const { kind, ...rest } = event;
      invocation.printJson({ event: kind, ...rest });
    }
  };
  try {
    if (next.length > 0) return await trainTasks(invocation, next, options, { say, onProgress: view.progress });
    const told = { ...options, onEvent: say, onProgress: view.progress };
    const end = gpu === undefined ? await train(told) : await trainOnGpu(invocation, gpu, told);
    const dir = relative(invocation.io.cwd, end.dir) || end.dir;
    if (invocation.json) invocation.printJson(resultOf(end, dir));
    else printEnd(invocation, end, dir);
    return EXIT.done;
  } finally {
    view.close();
  }
}

/** One task after another; the last line tells the last one, and what is left of the others. */
async function trainTasks(
  invocation: Invocation,
  next: readonly WorldPart[],
  options: Awaited<ReturnType<typeof trainOptions>>,
  told: {
    readonly say: (event: TrainInTurnEvent) => void;
    readonly onProgress: NonNullable<TrainOptions["onProgress"]>;
  },
): Promise<number> {
  storeFolder(invocation, "train one task at a time, or copy the runs afterwards with limbeck runs copy");
  if (invocation.flag("gpu")) throw usageError("--next is for a model of this process: leave out --gpu.");
  const { tasks, kept } = await trainInTurn({ ...options, onProgress: told.onProgress }, next, told.say);
  const last = tasks.at(-1) as Trained;
  const dir = relative(invocation.io.cwd, options.dir) || options.dir;
  if (invocation.json) {
    const lines = kept.map(({ task, after, had, evaluation, drop }) => ({
      task,
      after,
      had,
      now: evaluation.success,
      drop,
    }));
    invocation.printJson({ ...resultOf(last, dir), kept: lines });
  } else printEnd(invocation, last, dir);
  return EXIT.done;
}

/** The last line of `--json`; its fields are API. */
export function resultOf(end: EndEvent, dir: string): object {
  const share = ({ success, low, high, tasks, failed, causes }: Evaluation): object => ({
    success,
    low,
    high,
    tasks,
    failed,
    causes,
  });
  return {
    before: share(end.before),
    after: share(end.after),
    seconds: end.spent.seconds,
    environmentSteps: end.spent.environmentSteps,
    tokens: end.spent.sampledTokens,
    reason: end.reason,
    digest: end.digest ?? null,
    run: dir,
  };
}

export function formatShare(evaluation: Evaluation): string {
  return cleanLine(evaluationWords(evaluation));
}

/** What two runs with the same seed can be compared by. */
export function digestWords(digest: string): string {
  return `SHA-256 of the parameters  ${digest.slice(0, 16)}`;
}

function printEnd(invocation: Invocation, end: EndEvent, dir: string): void {
  const { style, print } = invocation;
  print();
  print(`Held-out success before  ${formatShare(end.before)}`);
  print(`Held-out success after   ${style.bold(formatShare(end.after))}`);
  const { environmentSteps, sampledTokens, seconds } = end.spent;
  print(
    style.dim(
      `${plural(end.update, "update")}, ${plural(environmentSteps, "environment step")} trained on, ${plural(sampledTokens, "token")} sampled, ${formatDuration(seconds * 1_000)}`,
    ),
  );
  if (end.digest !== undefined) print(style.dim(digestWords(end.digest)));
  print(`The run and its model: ${style.cyan(cleanLine(dir))}`);
  const { storeRoot } = invocation;
  const elsewhere = isObjectAddress(storeRoot);
  if (elsewhere) print(`Its episodes and figures: ${style.cyan(cleanLine(storeRoot))}`);
  const path = typedPath(resolve(invocation.io.cwd, dir), invocation.io.cwd);
  invocation.note(
    style.dim(`Look at it:   ${cleanLine(typedCommand(["studio", "--store", elsewhere ? storeRoot : dirname(path)]))}`),
  );
  invocation.note(
    style.dim(
      `As one page:  ${cleanLine(typedCommand(elsewhere ? ["report", "--store", storeRoot, basename(path)] : ["report", path]))}`,
    ),
  );
}

async function listSettings(invocation: Invocation): Promise<number> {
  const names = await chosenNames(invocation);
  const { recipe, credit, strategyName: strategy } = chosenMethods(names);
  const { objective, collect } = names;
  const table = settingsTable(recipe, credit, { strategy, objective, collect });
  const rows = Object.entries(table).map(([name, spec]) => ({
    name,
    kind: spec.kind,
    default: spec.default,
    allowed: allowedValues(spec),
    meaning: spec.meaning,
  }));
  if (invocation.json) for (const row of rows) invocation.printJson(row);
  else {
    const { terminal } = invocation.io;
    const shown = tableLines(
      [{ title: "setting" }, { title: "default" }, { title: "takes" }, { title: "meaning" }],
      rows.map((row) => [row.name, String(row.default ?? "none"), row.allowed, row.meaning]),
      { style: invocation.style, ...(terminal.out ? { width: terminal.columns } : {}) },
    );
    for (const line of shown) invocation.print(line);
  }
  return EXIT.done;
}
