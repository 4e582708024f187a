/** The studies of graded rewards: which world, which arms, and what is measured on held-out tasks. */
import type { TrainOptions, Env, Trajectory } from "limbeck";
import type { Demonstrator } from "limbeck/env";
import type { WarmUpOptions } from "limbeck/training";
import * as measure from "./measures.ts";
import { cards, retouch, retouchObject, tracks } from "./own-worlds.ts";

type Arm = Pick<TrainOptions, "recipe" | "credit" | "reward"> & {
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Default: those of the study. */
  readonly updates?: number;
};

export interface GradedStudy {
  /** The rows of the catalogue that it is about, and what they must show. */
  readonly rows: string;
  readonly env: string | Env;
  readonly envOptions?: Readonly<Record<string, string | number | boolean | readonly number[]>>;
  readonly demonstrator?: Demonstrator;
  /** A start of each seed's own, in the place of the bundled model. */
  readonly warm?: Pick<
    WarmUpOptions,
    "base" | "words" | "until" | "steps" | "demonstrations" | "evaluateEvery" | "batchRows" | "advice" | "tasks"
  >;
  readonly answerTokens?: number;
  readonly updates: number;
  /** The first is what the others are compared with. */
  readonly arms: Readonly<Record<string, Arm>>;
  readonly measures: Readonly<Record<string, (played: readonly Trajectory[]) => number>>;
  /** Metrics of the updates. */
  readonly watch: readonly string[];
  /** Of the play before and after. Default: 0.4; at 1, as a training plays, mistakes that are rare show too. */
  readonly temperature?: number;
  /** Tasks that are played before and after. Default: 100. */
  readonly heldOut?: number;
  /** What such a metric is to come to; told is when. */
  readonly reach?: Readonly<Record<string, number>>;
  /** Scripted agents that play the same tasks. */
  readonly scripted?: readonly string[];
}

/** A number that the world gives apart, added up over the episode or taken at its end. */
const part = (of: string, combine: "sum" | "last" | "mean" = "sum", more: object = {}) => ({
  use: "world-part",
  as: of,
  options: { of, combine },
  ...more,
});
const plan = (...rewards: readonly object[]) => ({ rewards }) as unknown as NonNullable<TrainOptions["reward"]>;
/** The fields of a retoucher's order. */
const ORDER = { required: { tool: "string", at: "string", by: "number", file: "string" } };
/** Tags with numbers, whose three parts weigh the same. */
const NUMBERS = { form: "numbers", grounding: 1, direction: 1, speed: 1 };
const outcome = { use: "outcome", weight: 1 };

/** Short dialogues give few tokens to learn from; tried on validation tasks at 1e-4 and 3e-4 with a start that was not finished. */
const faster = { learningRate: 4e-4 };
/** Of 5e-5, 1e-4 and 2e-4 (validation tasks, seeds 1 to 3). */
const SLOW = 1e-4;
/** Long episodes, few of them. */
const brief = { maxSteps: 14, tasks: 2, learningRate: 4e-4 };

/** Dialogues at a learning rate. */
const talk = (learningRate: number): GradedStudy => ({
  rows: "MAPO: area over the outcome alone; DoctorAgent-RL: fewer repeated questions, more right conclusions",
  env: "talk",
  envOptions: { level: "small" },
  updates: 20,
  heldOut: 150,
  temperature: 1,
  arms: {
    outcome: { recipe: "grpo", settings: { learningRate } },
    mapo: {
      recipe: "grpo",
      credit: "mapo",
      settings: { learningRate },
      // Eight turns with a friendly person are worth no more than the right conclusion.
      reward: plan(
        part("mood", "mean", { weight: 0.25, level: "step" }),
        part("right", "last", { weight: 2, level: "step" }),
      ),
    },
    // The released numbers of DoctorAgent-RL; nobody here says "I do not know", and there is no second conclusion.
    doctor: {
      recipe: "grpo",
      settings: { learningRate },
      reward: plan(
        part("fresh", "sum", { weight: 1 }),
        part("repeat", "sum", { weight: -2 }),
        part("refused", "sum", { weight: -2 }),
        part("late", "sum", { weight: -5 }),
        part("right", "last", { weight: 5 }),
      ),
    },
  },
  measures: {
    success: measure.success,
    repeats: measure.sumOfPart("repeat"),
    questions: measure.sumOfPart("fresh"),
    "mood at the end": measure.lastPart("mood"),
    steps: measure.steps,
  },
  watch: [],
});

/** Preferences between dialogues. A pool is tasks that come again. */
const grape = (pool: object): GradedStudy => ({
  rows: "GRAPE: the margin of the pairs grows, and with the safety cost fewer turns pass with an angry patient",
  env: "talk",
  envOptions: { level: "small" },
  updates: 12,
  heldOut: 150,
  temperature: 1,
  arms: {
    outcome: { recipe: "online-dpo", settings: { ...faster, ...pool } },
    costed: {
      recipe: "online-dpo",
      reward: plan(outcome, part("angry", "sum", { weight: -0.3 })),
      settings: { ...faster, ...pool },
    },
  },
  measures: { success: measure.success, "angry turns": measure.sumOfPart("angry"), steps: measure.steps },
  watch: ["pairs/margin", "loss/policy/margin", "loss/policy/accuracy"],
});

export const gradedStudies: Readonly<Record<string, GradedStudy>> = {
  draft: {
    rows: "Generation Navigator: the last turn comes nearer to the peak; GenAgent: more rounds raise the score than with the end's quality alone",
    env: "draft",
    envOptions: { level: "small" },
    updates: 12,
    heldOut: 80,
    arms: {
      final: { recipe: "grpo", reward: plan(part("quality", "last", { weight: 1 })) },
      "pre-grpo": {
        recipe: "grpo",
        credit: "pre-grpo",
        reward: plan(part("quality", "last", { weight: 1, level: "step" })),
        settings: { "credit.maxTurns": 10 },
      },
      improvement: {
        recipe: "grpo",
        reward: plan(part("quality", "last"), { use: "improvement", options: { of: "quality" }, weight: 1 }),
      },
      // Paid for a note that was sent, by the world's own worth; and the same with a share for rounds that were better.
      sent: { recipe: "grpo", reward: plan(outcome) },
      "improvement-sent": {
        recipe: "grpo",
        reward: plan(outcome, part("quality", "last"), {
          use: "improvement",
          options: { of: "quality", bonus: 0.25, end: false },
          weight: 1,
        }),
      },
    },
    measures: {
      success: measure.success,
      "turns after the peak": measure.turnsAfterPeak,
      "rounds that raise": measure.raisingRounds,
      quality: measure.lastPart("quality"),
      steps: measure.steps,
    },
    watch: [],
  },
  talk: talk(4e-4),
  // The same arms at a rate that was chosen on validation tasks.
  "talk-slow": talk(SLOW),
  grape: grape({}),
  // The margin of pairs is measured on tasks that come again.
  "grape-pool": grape({ tasks: 4, "tasks.pool": 16 }),
  emit: {
    rows: "RL-Struct: JSON that can be read comes before values that are right",
    env: "emit",
    envOptions: { level: "small" },
    // One that knows how JSON looks and how to say again what it has read.
    warm: { base: "tools", words: "base", until: 0.1, steps: 200, demonstrations: 3_000 },
    updates: 60,
    arms: {
      values: {
        recipe: "grpo",
        reward: plan(
          { use: "structure", options: { structure: 0, valid: 0, format: 0 }, weight: 1 },
          part("parse", "last"),
          part("values", "last"),
        ),
      },
      layered: {
        recipe: "grpo",
        reward: plan({ use: "structure", weight: 1 }, part("parse", "last"), part("values", "last")),
      },
    },
    measures: { success: measure.success, parse: measure.lastPart("parse"), values: measure.lastPart("values") },
    watch: ["reward/parse", "reward/values"],
    reach: { "reward/parse": 0.9, "reward/values": 0.5 },
  },
  object: {
    rows: "RL-Struct, from a start that hardly knows the form: JSON that can be read comes before values that are right",
    env: retouchObject.env,
    demonstrator: retouchObject.demonstrator("expert"),
    // Stopped long before it succeeds.
    warm: { base: "tools", words: "base", until: 1, steps: 10, demonstrations: 600, evaluateEvery: 10 },
    updates: 100,
    arms: {
      values: {
        recipe: "grpo",
        reward: plan(
          { use: "structure", options: { ...ORDER, structure: 0, valid: 0, format: 0 }, weight: 1 },
          part("read", "last"),
          part("arguments", "last"),
        ),
      },
      layered: {
        recipe: "grpo",
        reward: plan({ use: "structure", options: ORDER, weight: 1 }, part("read", "last"), part("arguments", "last")),
      },
    },
    measures: { success: measure.success, parse: measure.lastPart("read"), values: measure.lastPart("arguments") },
    watch: ["reward/read", "reward/arguments"],
    reach: { "reward/read": 0.9, "reward/arguments": 0.5 },
  },
  archive: {
    rows: "LongVideo-R1: a trained navigator reads half of what breadth first reads, at equal answers, and less than with the answer's reward alone",
    env: "archive",
    envOptions: { size: "tiny" },
    updates: 12,
    heldOut: 50,
    arms: {
      outcome: { recipe: "grpo", reward: plan(outcome), settings: brief },
      visits: {
        recipe: "grpo",
        reward: plan(outcome, part("read", "sum", { weight: -0.05 })),
        settings: brief,
      },
    },
    measures: { success: measure.success, reads: measure.sumOfPart("read"), steps: measure.steps },
    watch: [],
    scripted: ["breadth", "reader", "expert"],
  },
  procedure: {
    rows: "ProcVLM: area over the sparse reward",
    env: "household",
    envOptions: { dial: "tiny" },
    updates: 16,
    arms: {
      sparse: { recipe: "grpo" },
      subgoals: {
        recipe: "grpo",
        reward: plan({ use: "outcome", options: { from: "success" }, weight: 1 }, { use: "subgoals", weight: 1 }),
      },
    },
    measures: { success: measure.success, steps: measure.steps },
    watch: ["reward/subgoals"],
  },
  lookup: {
    rows: "HyperEyes: a fifth fewer rounds at equal accuracy, with the teacher on failed rollouts alone",
    env: cards.env,
    demonstrator: cards.demonstrator("one by one"),
    warm: { base: "research", words: "base", until: 0.45, steps: 400, demonstrations: 3_000, advice: 0.3, tasks: 32 },
    updates: 48,
    heldOut: 200,
    arms: {
      outcome: { recipe: "grpo", settings: { tasks: 8 } },
      trace: {
        recipe: "opd",
        reward: plan({ use: "trace", weight: 1, options: { bonus: "share", weight: 1, rounds: "steps" } }),
        settings: { tasks: 8, taught: "failed", "credit.rewardWeight": 2, "credit.coefficient": 0.1 },
      },
    },
    measures: { success: measure.success, rounds: measure.steps, "rounds of the solved": measure.stepsOfSolved },
    watch: [],
  },
  calls: {
    rows: "JarvisArt: arguments are right more often with the sum of format, operations and outcome than with the outcome alone",
    env: retouch.env,
    demonstrator: retouch.demonstrator("expert"),
    // One that knows how a call looks.
    warm: { base: "tools", words: "base", until: 0.15, steps: 400, demonstrations: 3_000 },
    updates: 40,
    heldOut: 200,
    arms: {
      outcome: {
        recipe: "grpo",
        reward: plan(outcome, { use: "tool-match", as: "match" }),
        settings: { tasks: 8 },
      },
      summed: {
        recipe: "grpo",
        settings: { tasks: 8 },
        reward: plan(outcome, { use: "tool-match", as: "match", weight: 1 }, part("read", "last", { weight: 0.2 })),
      },
    },
    measures: {
      success: measure.success,
      arguments: measure.lastPart("arguments"),
      tools: measure.lastPart("tools"),
      "lists of calls": measure.lastPart("read"),
    },
    watch: ["reward/match"],
  },
  tracks: {
    rows: "Motion-o: tags and next places are right more often than without a reward for tags",
    env: tracks.env,
    demonstrator: tracks.demonstrator("expert"),
    // A fixed length: places are found long before tags are right, which a bound on success does not see.
    warm: { base: "countdown", words: "new", until: 1, steps: 200, demonstrations: 4_000, evaluateEvery: 200 },
    updates: 40,
    heldOut: 200,
    arms: {
      untagged: {
        recipe: "grpo",
        settings: { tasks: 8 },
        reward: plan(outcome, { use: "motion-tags", as: "tags", options: NUMBERS }),
      },
      tagged: {
        recipe: "grpo",
        settings: { tasks: 8 },
        reward: plan(outcome, { use: "motion-tags", as: "tags", options: NUMBERS, weight: 1 }),
      },
    },
    measures: { success: measure.success, tag: measure.lastPart("tag") },
    watch: ["reward/tags"],
  },
};
