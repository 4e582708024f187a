/** `limbeck warm-up`: a small model for a world that no model has read yet. */
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isThere } from "limbeck-base/base/files";
import { input } from "limbeck-base/base/input";
import { defineOperation, type Context, type Input, type Progress } from "limbeck-base/base/operation";
import { lookUp } from "limbeck-base/base/registry";
import { envPart } from "limbeck-worlds/env.part";
import { worldInputs } from "limbeck-worlds/world.inputs";
import type { WarmUpOptions } from "limbeck-training/training/warm-up/options";
import type { GivenWorld } from "./given-parts.ts";
import { warmUpInputs } from "limbeck-training/training/warm-up/warm-up.inputs";
import { speechInputs } from "./speech.inputs.ts";

/** Tasks that a larger model plays; each is played several times. */
const POLICY_TASKS = 60;

const { answerTokens, form, system } = speechInputs;
const { base, words, demonstrations, ...learning } = warmUpInputs;

const inputs = {
  env: input.part(envPart, "ID", "The world: a name or a file"),
  envOptions: worldInputs.envOptions,
  out: input.path("DIR", "Folder of the new model. Default: models/ and the id of the world"),
  base,
  words,
  demonstrator: input.text("NAME", "A scripted agent of the world. Default: its first"),
  demonstrations,
  from: input.texts("RUN", "Learn from the successful episodes of this run"),
  policy: input.text("NAME|DIR", "Learn from the successes of this one: a model folder, bundled or chat"),
  bestOf: input.count("N", "With --policy: episodes of each task", { default: 4 }),
  temperature: input.number("T", "With --policy: of its draws. Default: 1, and for a chat its own", { least: 0 }),
  answerTokens,
  form,
  system,
  ...learning,
  force: input.flag("Write over a model that a warm-up has left in --out"),
};

const say = "--from, --policy and --demonstrator are three ways to be shown the way; give one of them.";

/**
 * A starting model for a world that no model has read yet, by names as on a command line; `warmUp` of limbeck/training
 * takes objects.
 *
 * @example
 * await warmUpModel({ env: "countdown", until: 2 }).catch((error: Error) => console.log(error.message)); // Option until of warm-up is 2; it takes a number above 0, at most 1. Its default is 0.25.
 */
export const warmUpModel = defineOperation({
  name: "warm-up",
  group: "learn",
  summary: "Make a starting model for a new world",
  usage: "--env ID|FILE [--out DIR] [--base NAME|DIR|base|fresh] [--until SHARE] [--from RUN | --policy NAME|DIR]",
  description:
    "Somebody shows the way: the world's demonstrator, the successful episodes of recorded runs (--from), or a larger model that plays every task several times (--policy). A small model learns from that until it succeeds now and then without advice, between 0.1 and 0.4 of the validation tasks; a training goes on from there. These shares count from what can be had without learning, by always the same answer or by one that is drawn, and a model whose actions are mostly refused learns on. A share of the lessons is shown with advice, right and wrong, so that the model follows it, as recipes with a teacher need.\n" +
    "It says how the tokenizer reads the world, what the success is without advice, with right and with wrong advice, and, where it does not get there, what to try. The folder holds the model and a card: README.md, and warm-up.json for programs. docs/learn/new-world.md walks through it.",
  input: inputs,
  rules: [
    { never: ["from", "policy"], say },
    { never: ["from", "demonstrator"], say },
    { never: ["policy", "demonstrator"], say },
  ],
  examples: [
    "limbeck warm-up --env ./world.ts",
    "limbeck warm-up --env ./world.ts --out models/mine --until 0.3 --seed 2",
    "limbeck warm-up --env ./world.ts --from good-run --base models/my-base",
    "limbeck warm-up --env ./world.ts --policy chat --best-of 4 --demonstrations 100 --json",
  ],
  events: {
    shown: { solved: "episodes that succeeded", played: "episodes in all" },
    baselines: {
      blind: "success by always the same answer",
      answer: "that answer, the one that was shown most often",
      random: "success by an answer that is drawn",
      floor: "the better of the two",
    },
    words: {},
    update: { update: "updates done", updates: "updates at most", loss: "mean loss of the batch" },
    evaluation: { update: "updates done", evaluation: "success on validation tasks, without advice" },
  },
  line: {
    from: "who showed the way",
    words: "how the tokenizer reads the world",
    env: "the world",
    base: "the model it began with",
    demonstrations: "episodes learnt from",
    lessons: "lessons made of them",
    adviceShare: "share of the lessons with advice",
    seed: "the seed",
    updates: "updates behind the weights",
    stopped: "reached, already (before the first update), stalled or updates",
    until: "the success that was wanted",
    learningRate: "the learning rate",
    batchRows: "lessons of an update",
    parameters: "numbers of the model",
    answerTokens: "room that an answer needs",
    measured: "evaluations without advice (none; sampled: at temperature 1), with right advice and with wrong advice",
    baselines: "success without learning: blind (always the same answer), random, and floor, the better of the two",
    verdict: "whether it succeeds often enough, whether it follows advice, and what to try",
    seconds: "time taken",
    processorSeconds: "processor time taken",
    model: "the folder",
  },
  natives: (given) => (given("from") === undefined ? ["onnxruntime"] : ["duckdb", "onnxruntime"]),
  run: async (given, context) => {
    const { givenWorld } = await import("./given-parts.ts");
    const { warmUp } = await import("limbeck-training/training/warm-up/warm-up");
    const { worldName } = await import("limbeck-training/training/parts");
    const { baseNames } = await import("limbeck-training/training/warm-up/base-model");
    const world = await givenWorld("warm-up", given, context);
    const { id, env, options } = world;
    const out = resolve(context.cwd, given.out ?? join("models", env.id.replace(/[^\w-]+/g, "-")));
    // A folder that is there is left alone; one that a warm-up has made may be written over when asked to.
    if (given.force && (await isThere(join(out, "warm-up.json")))) await rm(out, { recursive: true });
    const { from: _runs, envOptions: _options, demonstrator: _name, ...asked } = given;
    const bars = barsOf(context);
    try {
      const made = await warmUp({
        ...asked,
        env,
        out,
        envName: worldName(id, options),
        world: { id, options },
        base: baseNames.includes(given.base) ? given.base : resolve(context.cwd, given.base),
        ...(await shownBy(given, world, context)),
        now: context.now,
        signal: context.signal,
        onEvent: (one) => {
          if (one.kind === "progress") return bars.show(one.label, one.total, one.done);
          if (one.kind === "update") bars.show("Learning", one.updates, one.update, `loss ${one.loss.toPrecision(4)}`);
          else bars.end();
          const { kind: event, ...facts } = one;
          context.emit({ event, ...facts });
        },
      });
      bars.end();
      context.emit({ ...made });
      return made;
    } finally {
      bars.end();
    }
  },
});

type Shown = Pick<WarmUpOptions, "demonstrator" | "trajectories" | "from">;

/** A scripted agent, recorded episodes, or those that a larger model plays now. */
async function shownBy(given: Input<typeof inputs>, world: GivenWorld, context: Context): Promise<Shown> {
  const { from, policy, bestOf: group, seed } = given;
  const { demonstrators = {} } = world.world;
  const { playedEpisodes, recordedEpisodes } = await import("./episodes.ts");
  const { firstDemonstrator, givenAgent } = await import("./given-parts.ts");
  const demonstrator =
    given.demonstrator === undefined
      ? firstDemonstrator(world.world)
      : lookUp(demonstrators, given.demonstrator, "demonstrator of the world");
  if (from.length > 0) {
    const trajectories = await recordedEpisodes(context.store, from);
    return { demonstrator, trajectories, from: `the run ${from.join(", ")}` };
  }
  if (policy === undefined) return { demonstrator };
  const place = { command: "warm-up", world: world.world, env: world.id };
  const player = await givenAgent(policy, given, place, context);
  try {
    const options = {
      policy: player.agent,
      tasks: context.given("demonstrations") ? given.demonstrations : POLICY_TASKS,
      group,
      seed,
    };
    const trajectories = await playedEpisodes(world, options, context, "Episodes of the larger model");
    const played = `${group.toLocaleString("en-GB")} ${group === 1 ? "episode" : "episodes"} a task`;
    return { demonstrator, trajectories, from: `successes of ${policy}, ${played}` };
  } finally {
    await player.close();
  }
}

/** One bar at a time, for what goes on. */
function barsOf({ progress }: Pick<Context, "progress">) {
  let shown: { readonly label: string; readonly bar: Progress } | undefined;
  const end = (): void => {
    shown?.bar.end();
    shown = undefined;
  };
  return {
    end,
    show: (label: string, total: number, done: number, detail?: string): void => {
      if (shown?.label !== label) {
        end();
        shown = { label, bar: progress({ label, total }) };
      }
      shown?.bar.update(done, detail);
    },
  };
}
