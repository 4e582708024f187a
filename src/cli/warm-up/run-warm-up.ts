/** A warm-up from the command line: who shows the way, the training, and what came of it in words. */
import { rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { lookUp } from "../../base/index.ts";
import { isThere } from "../../base/files.ts";
import { namesFile, splitName } from "../../base/parts/part.ts";
import { evaluationWords } from "../../eval/evaluate.ts";
import { rollout } from "../../run/index.ts";
import { warmUp, type WarmedUp, type WarmUpEvent, type WarmUpOptions } from "../../training/index.ts";
import { worldName } from "../../training/parts.ts";
import { baseNames } from "../../training/warm-up/base-model.ts";
import { wordLines } from "../../training/warm-up/word-check.ts";
import { sharedSettings } from "../../update/settings.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import type { Progress } from "../../base/operation.ts";
import { formatDuration, formatNumber, plural } from "../look/units.ts";
import { givenCount, maybeCount, maybeNumber } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { chosenAgent } from "../rollout/chosen-agent.ts";
import { givenWorld, type GivenWorld } from "../rollout/given-world.ts";
import { recordedEpisodes } from "../with-store.ts";

/** What a model that is fresh from its demonstrations learns by: measured in docs/new-world.md. */
const NEXT_TRAINING = "--recipe grpo --steps 40 --set tasks=16 --set learningRate=0.0001";

/** Tasks that a larger model plays; each is played several times. */
const POLICY_TASKS = 60;
const BEST_OF = 4;

export async function runWarmUp(invocation: Invocation): Promise<number> {
  const given = await givenWorld(invocation, "warm-up");
  const out = await outFolder(invocation, given);
  const view = createView(invocation);
  try {
    const shown = await givenEpisodes(invocation, given);
    const made = await warmUp({ ...options(invocation, given), ...shown, out, onEvent: view.show });
    view.close();
    if (invocation.json) invocation.printJson({ ...made });
    else printEnd(invocation, made);
    return EXIT.done;
  } finally {
    view.close();
  }
}

function options(invocation: Invocation, { id, env, world, options: set }: GivenWorld): Omit<WarmUpOptions, "out"> {
  const count = (name: string): number | undefined => maybeCount(invocation, name);
  const { demonstrators = {} } = world;
  const asked = invocation.text("demonstrator");
  const base = invocation.text("base");
  const own = base === undefined || baseNames.includes(base);
  return {
    env,
    envName: worldName(id, set),
    world: { id, options: set },
    demonstrator:
      asked === undefined ? Object.values(demonstrators)[0] : lookUp(demonstrators, asked, "demonstrator of the world"),
    base: own ? base : resolve(invocation.io.cwd, base),
    words: invocation.text("words") as WarmUpOptions["words"],
    demonstrations: count("demonstrations"),
    until: maybeNumber(invocation, "until", { low: 0, high: 1 }),
    advice: maybeNumber(invocation, "advice", { low: 0, high: 0.9 }),
    steps: count("steps"),
    batchRows: count("batch"),
    learningRate: maybeNumber(invocation, "learning-rate", { low: 0 }),
    evaluateEvery: count("evaluate-every"),
    tasks: count("validation-tasks"),
    seed: maybeCount(invocation, "seed", 0),
    threads: count("threads"),
    now: () => invocation.io.now(),
    signal: invocation.io.signal,
  };
}

/** Recorded episodes, or those of a larger model; nothing where the demonstrator shows the way. */
async function givenEpisodes(
  invocation: Invocation,
  given: GivenWorld,
): Promise<Pick<WarmUpOptions, "trajectories" | "from">> {
  const [runs, policy] = [invocation.texts("from"), invocation.text("policy")];
  const ways = [runs.length > 0, policy !== undefined, invocation.text("demonstrator") !== undefined];
  if (ways.filter(Boolean).length > 1) {
    throw usageError("--from, --policy and --demonstrator are three ways to be shown the way; give one of them.");
  }
  if (runs.length > 0) {
    return { trajectories: await recordedEpisodes(invocation.storeRoot, runs), from: `the run ${runs.join(", ")}` };
  }
  return policy === undefined ? {} : await playedEpisodes(invocation, given, policy);
}

async function playedEpisodes(
  invocation: Invocation,
  { id, env, world }: GivenWorld,
  policy: string,
): Promise<Pick<WarmUpOptions, "trajectories" | "from">> {
  const opened = await chosenAgent(invocation, { command: "warm-up", world, env: id });
  const [tasks, group] = [
    givenCount(invocation, "demonstrations", POLICY_TASKS),
    givenCount(invocation, "best-of", BEST_OF),
  ];
  const bar = invocation.progress({ label: "Episodes of the larger model", total: tasks * group });
  try {
    const { trajectories } = await rollout({
      env,
      policy: opened.agent,
      tasks,
      ...(Object.hasOwn(env.splits, "train") ? { split: "train" } : {}),
      group,
      seed: givenCount(invocation, "seed", 1, 0),
      signal: invocation.io.signal,
      onEvent: ({ episodes }) => bar.update(episodes),
    });
    return { trajectories, from: `successes of ${policy}, ${plural(group, "episode")} a task` };
  } finally {
    bar.end();
    await opened.close();
  }
}

/** A folder that is there is left alone; one that a warm-up has made may be written over when asked to. */
async function outFolder(invocation: Invocation, { env }: GivenWorld): Promise<string> {
  const name = env.id.replace(/[^\w-]+/g, "-");
  const folder = resolve(invocation.io.cwd, invocation.text("out") ?? join("models", name));
  const isOurs = await isThere(join(folder, "warm-up.json"));
  if (isOurs && invocation.flag("force")) await rm(folder, { recursive: true });
  return folder;
}

interface View {
  readonly show: (event: WarmUpEvent) => void;
  readonly close: () => void;
}

/** A line for what is found, a bar for what goes on. */
function createView(invocation: Invocation): View {
  let bar: Progress | undefined;
  let label: string | undefined;
  const close = (): void => {
    bar?.end();
    bar = label = undefined;
  };
  const progress = (name: string, total: number, done: number, detail?: string): void => {
    if (label !== name) {
      close();
      label = name;
      bar = invocation.progress({ label: name, total });
    }
    bar?.update(done, detail);
  };
  const { style } = invocation;
  return {
    close,
    show: (event) => {
      if (event.kind === "progress") {
        progress(event.label, event.total, event.done);
        return;
      }
      if (invocation.json) {
        const { kind, ...rest } = event;
        invocation.printJson({ event: kind, ...rest });
        return;
      }
      if (event.kind === "update") {
        progress("Learning", event.updates, event.update, `loss ${formatNumber(event.loss)}`);
        return;
      }
      close();
      if (event.kind === "shown") {
        invocation.print(`Shown by ${cleanLine(event.from)}: ${event.solved} of ${event.played} episodes succeeded`);
      } else if (event.kind === "words") for (const line of wordLines(event.words)) invocation.print(cleanLine(line));
      else {
        const words = cleanLine(evaluationWords(event.evaluation));
        invocation.print(`${style.dim("update")} ${event.update}  validation success ${style.bold(words)}`);
      }
    },
  };
}

function printEnd(invocation: Invocation, made: WarmedUp): void {
  const { print, style, note } = invocation;
  const { measured } = made;
  print();
  for (const [name, evaluation] of [
    ["Without advice        ", measured.none],
    ["  at temperature 1    ", measured.sampled],
    ["With right advice     ", measured.right],
    ["With wrong advice     ", measured.wrong],
  ] as const) {
    if (evaluation !== undefined) print(`${name}${style.bold(cleanLine(evaluationWords(evaluation)))}`);
  }
  for (const words of made.verdict.words) note(`! ${cleanLine(words)}`);
  const folder = relative(invocation.io.cwd, made.model) || made.model;
  const took = style.dim(`(${formatDuration(made.seconds * 1_000)}, ${plural(made.updates, "update")})`);
  print(`The model: ${style.cyan(cleanLine(folder))} ${took}`);
  const room =
    made.answerTokens > sharedSettings.answerTokens.default ? ` --set answerTokens=${made.answerTokens}` : "";
  const env = cleanLine(typedWorld(invocation));
  print(`Go on: limbeck train --env ${env} --model ${cleanLine(folder)} ${NEXT_TRAINING}${room}`);
}

/** A file is known by its whole path and its content; people type it from where they are. */
function typedWorld({ text, io }: Invocation): string {
  const name = text("env") ?? "";
  if (!namesFile(name)) return name;
  const path = relative(io.cwd, splitName(name).file);
  return path.startsWith("..") ? path : `./${path}`;
}
