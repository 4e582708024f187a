/** `limbeck warm-up`: a small model for a world that no model has read yet. */
import type { Command } from "../command.ts";
import { flag, shared, text, texts } from "../options.ts";
import { envPart } from "../../env/env.part.ts";
import { speechOptions } from "../rollout/agent-options.ts";

export const warmUp: Command = {
  group: "learn",
  summary: "Make a starting model for a new world",
  usage: "--env ID|FILE [--out DIR] [--base NAME|DIR|base|fresh] [--until SHARE] [--from RUN | --policy NAME|DIR]",
  description:
    "Somebody shows the way: the world's demonstrator, the successful episodes of recorded runs (--from), or a larger model that plays every task several times (--policy). A small model learns from that until it succeeds now and then without advice, between 0.1 and 0.4 of the validation tasks; a training goes on from there. A share of the lessons is shown with advice, right and wrong, so that the model follows it, as recipes with a teacher need.\n" +
    "It says how the tokenizer reads the world, what the success is without advice, with right and with wrong advice, and, where it does not get there, what to try. The folder holds the model and a card: README.md, and warm-up.json for programs. docs/new-world.md walks through it.",
  options: {
    env: text("ID", "The world: a name or a file", envPart.names),
    "env-set": shared.envSet,
    out: text("DIR", "Folder of the new model. Default: models/ and the id of the world"),
    base: text(
      "NAME|DIR",
      "A bundled model, a folder, base (a package of its own), or fresh: a new model. Default: household",
    ),
    words: text("KIND", "new (a tokenizer from the demonstrations) or base. Default: new for a bundled base", () => [
      "new",
      "base",
    ]),
    demonstrator: text("NAME", "A scripted agent of the world. Default: its first"),
    demonstrations: text("N", "Tasks that are shown. Default: 600; 60 with --policy"),
    from: texts("RUN", "Learn from the successful episodes of this run"),
    policy: text("NAME|DIR", "Learn from the successes of this one: a model folder, bundled or chat"),
    "best-of": text("N", "With --policy: episodes of each task. Default: 4"),
    temperature: text("T", "With --policy: of its draws. Default: 1, and for a chat its own"),
    "max-tokens": speechOptions["max-tokens"],
    form: speechOptions.form,
    system: speechOptions.system,
    until: text("SHARE", "Validation success at which it stops. Default: 0.25"),
    advice: text("SHARE", "Lessons with advice. Default: 0.4"),
    steps: text("N", "Most updates. Default: 600"),
    batch: text("N", "Lessons of an update. Default: 16"),
    "learning-rate": text("X", "Default: 0.001 for a bundled base, 0.0005 for a folder and base, 0.003 for fresh"),
    "evaluate-every": text("N", "Updates between two validations. Default: 20"),
    "validation-tasks": text("N", "Of each; the figures at the end are of twice as many. Default: 64"),
    seed: text("N", "Lessons and draws. Default: 1"),
    threads: shared.threads,
    force: flag("Write over a model that a warm-up has left in --out"),
  },
  examples: [
    "limbeck warm-up --env ./world.ts",
    "limbeck warm-up --env ./world.ts --out models/mine --until 0.3 --seed 2",
    "limbeck warm-up --env ./world.ts --from good-run --base models/my-base",
    "limbeck warm-up --env ./world.ts --policy chat --best-of 4 --demonstrations 100 --json",
  ],
  jsonFields: {
    event: '"shown", "words", "update", "evaluation"; the last line has none and is the card',
    from: "shown, last line: who showed the way",
    solved: "shown: episodes that succeeded",
    played: "shown: episodes in all",
    words: "words, last line: how the tokenizer reads the world",
    update: "update, evaluation: updates done",
    loss: "update: mean loss of the batch",
    evaluation: "evaluation: success on validation tasks, without advice",
    env: "last line: the world",
    base: "last line: the model it began with",
    demonstrations: "last line: episodes learnt from",
    lessons: "last line: lessons made of them",
    adviceShare: "last line: share of the lessons with advice",
    seed: "last line: the seed",
    updates: "update: updates at most; last line: updates behind the weights",
    stopped: "last line: reached, already (before the first update), stalled or updates",
    until: "last line: the success that was wanted",
    learningRate: "last line: the learning rate",
    batchRows: "last line: lessons of an update",
    parameters: "last line: numbers of the model",
    answerTokens: "last line: room that an answer needs",
    measured:
      "last line: evaluations without advice (none; sampled: at temperature 1), with right advice and with wrong advice",
    verdict: "last line: whether it succeeds often enough, whether it follows advice, and what to try",
    seconds: "last line: time taken",
    processorSeconds: "last line: processor time taken",
    model: "last line: the folder",
  },
  natives: ({ text: given }) => (given("from") === undefined ? ["onnxruntime"] : ["duckdb", "onnxruntime"]),
  run: async (invocation) => (await import("../warm-up/run-warm-up.ts")).runWarmUp(invocation),
};
