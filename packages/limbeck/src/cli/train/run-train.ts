/** A training from the command line: plan, run, show. */
import { basename, dirname, join, relative, resolve } from "node:path";
import { usageError } from "limbeck-base/base/errors";
import { isObjectAddress } from "limbeck-base/base/object-address";
import { allowedValues } from "limbeck-base/base/options";
import { storedWorldWords } from "limbeck-core/env/world-words";
import { type Evaluation, evaluationWords } from "limbeck-core/eval/evaluate";
import { bundledAddress } from "limbeck-policy/policy/local/bundled-model";
import type { RecipeId } from "limbeck-core/recipe/registry";
import { settingsTable } from "limbeck-core/recipe/settings";
import { givenTraining, nextTasks, withConfig, type GivenTraining } from "../../run/given-training.ts";
import type { TrainInput } from "../../run/train.inputs.ts";
import { train, type Trained } from "limbeck-training/training/train";
import { trainInTurn, type TrainInTurnEvent } from "limbeck-training/training/in-turn";
import { trainingSchema } from "limbeck-training/training/schema";
import type { EndEvent } from "limbeck-training/training/events";
import type { TrainOptions } from "limbeck-training/training/options";
import { trainOnGpu } from "limbeck-training/training/on-gpu";
import { chosenMethods } from "limbeck-training/training/plan";
import type { Frame } from "../command-of.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { readTls } from "../listening.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { printSchema } from "../look/print-schema.ts";
import { printTable } from "../look/table.ts";
import { formatDuration, plural } from "limbeck-base/base/units";
import { typedCommand, typedPath } from "../typed-command.ts";
import { storeFolder } from "../with-store.ts";
import { givenRunFolder } from "./run-folder.ts";
import { createView } from "./view.ts";

type Options = TrainOptions<RecipeId, string> & { readonly dir: string };
type Names = Parameters<typeof trainingSchema>[0];

export async function runTrain(input: TrainInput, frame: Frame): Promise<number> {
  const given = await withConfig(input, frame);
  if (given.listSettings) return listSettings(given as Names, frame);
  if (given.schema) return printSchema(frame, trainingSchema(given as Names));
  const options = await planned(given, frame);
  const view = createView(frame, storedWorldWords(options.envName ?? ""));
  const say = (event: TrainInTurnEvent): void => {
    if (!frame.json) view.show(event);
    else if (event.kind !== "end") {
      const { kind, ...rest } = event;
      frame.printJson({ event: kind, ...rest });
    }
  };
  try {
    const [end, more] = await trained(given, { ...options, onProgress: view.progress }, say, frame);
    const dir = relative(frame.cwd, options.dir) || options.dir;
    if (frame.json) frame.printJson({ ...resultOf(end, dir), ...more });
    else printEnd(frame, end, dir);
    return EXIT.done;
  } finally {
    view.close();
  }
}

async function planned(given: GivenTraining, frame: Frame): Promise<Options> {
  const { recipeName } = chosenMethods(given as Names);
  const options = await givenTraining(given, frame);
  const serve = given.serve === undefined ? undefined : serveAddress(given.serve, given.announce);
  const dir = await givenRunFolder(frame, recipeName);
  return { ...options, dir, ...playedElsewhere(given, { ...options, dir }, serve, frame) };
}

/** The last training, and what is left of the tasks before it. */
async function trained(
  given: GivenTraining,
  options: Options,
  say: (event: TrainInTurnEvent) => void,
  frame: Frame,
): Promise<readonly [EndEvent, object]> {
  const { python = frame.environment["LIMBECK_PYTHON"], device, lora: rank } = given;
  const { signal } = frame;
  const next = nextTasks(given);
  if (next.length > 0) {
    storeFolder(frame, "train one task at a time, or copy the runs afterwards with limbeck runs copy");
    const { tasks, kept } = await trainInTurn(options, next, say);
    const left = kept.map(({ task, after, had, evaluation: { success: now }, drop }) => ({
      task,
      after,
      had,
      now,
      drop,
    }));
    return [tasks.at(-1) as Trained, { kept: left }];
  }
  if (!given.gpu) return [await train({ ...options, onEvent: say }), {}];
  const { startTorchTrainer } = await import("limbeck-remote/tinker-server/torch-trainer");
  const onDeath = (why: string): void =>
    frame.note(
      `! The trainer died (${cleanLine(why)}). It is started again; the run goes on from its last checkpoint.`,
    );
  const start = (place: { readonly model: string; readonly checkpoints: string }) =>
    startTorchTrainer({ ...place, python, device, signal });
  return [await trainOnGpu({ rank, start, onDeath }, { ...options, onEvent: say }), {}];
}

interface Serve {
  readonly host: string;
  readonly port: number;
  readonly announced?: string;
}

/** Workers of a fleet play. */
function playedElsewhere(
  { fleet: redis, lag = 0, model, fleetRewards: rewardWorkers, ...given }: GivenTraining,
  { dir, world }: Options,
  serve: Serve | undefined,
  frame: Frame,
): Pick<Options, "openAway"> {
  if (redis === undefined || world === undefined) return {};
  const openAway: Options["openAway"] = async (share, place) => {
    const { openFleetAway } = await import("limbeck-remote/fleet/fleet-away");
    const tls = await readTls(frame, given);
    const tokenizer = model === undefined ? bundledAddress(world.id) : place.model;
    const where = { redis, world, tokenizer, lag, dir: join(dir, "versions"), rewardWorkers };
    return await openFleetAway({
      ...place,
      ...where,
      share,
      ...(serve === undefined ? {} : { serve: { ...serve, tls } }),
    });
  };
  return { openAway };
}

function serveAddress(text: string, announce: string | undefined): Serve {
  const match = /^(.+):(\d{1,5})$/.exec(text);
  if (match?.[1] === undefined || Number(match[2]) > 65_535) {
    throw usageError(`--serve must be an address and a port that workers reach, such as 10.0.0.5:4145; got "${text}".`);
  }
  const host = match[1].replace(/^\[|\]$/g, "");
  if (announce !== undefined && !isHttp(announce)) {
    throw usageError(
      `--announce must be an address that workers reach, such as http://10.0.0.5:4145; got "${announce}".`,
    );
  }
  // Nobody else can reach that: it means every address of this machine.
  if (announce === undefined && /^(0\.0\.0\.0|::)$/.test(host)) {
    throw usageError(
      `--serve ${text} listens at every address of this machine, and names none that workers could reach. Add --announce http://HOST:${match[2]}, or serve at one address.`,
    );
  }
  const announced = announce === undefined ? {} : { announced: announce.replace(/\/+$/, "") };
  return { host, port: Number(match[2]), ...announced };
}

function isHttp(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
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

function listSettings(names: Names, frame: Frame): number {
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
  for (const row of frame.json ? rows : []) frame.printJson(row);
  const cells = rows.map((row) => [row.name, String(row.default ?? "none"), row.allowed, row.meaning]);
  printTable(frame, ["setting", "default", "takes", "meaning"], cells);
  return EXIT.done;
}
