/** `limbeck compare`: two result files of any evaluation tool, by a paired test. */
import { input } from "limbeck-base/base/input";
import { usageError } from "limbeck-base/base/errors";
import { defineCommand } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";

const REQUIRED = ["not-worse", "better"] as const;

export const compare = defineCommand({
  group: "look",
  summary: "Two result files of any evaluation tool: better, worse or tied, and how many tasks more would decide",
  description:
    'Reads what promptfoo, Inspect, lm-evaluation-harness, Vitest with vitest-evals or limbeck/vitest, and Langfuse write, rows of your own ({"task": …, "success": true}), and every format of trajectories that limbeck import knows. Tasks that both sides have are paired; a task tried several times counts once, by its mean.\n' +
    "The verdict is of NEW against BASE. Where every score is 0 or 1 the test is McNemar's in its exact form; else Student's t on the differences. Tied means that the data do not separate the two, not that they are equal: the last line says how many tasks more would, were the difference the one seen. It looks once: a file that grows until it is better proves nothing.\n" +
    "Exit code 4 when NEW is worse, or, with --require better, when it is not better. Nothing is sent anywhere.",
  input: {
    base: input.text("BASE", "Results of what there is: FILE, FOLDER, or FILE#ARM where a file holds several", {
      at: 0,
      required: true,
    }),
    new: input.text("NEW", "Results of what is to take its place", { at: 1, required: true }),
    metric: input.text("NAME", "The score that is compared. Default: the tool's own, or the only one"),
    format: input.choice("F", "Format of both files. Default: what they show", formatNames),
    confidence: input.number("SHARE", "Confidence of the interval and of the verdict", {
      default: 0.95,
      least: 0.5,
      most: 0.999_999,
    }),
    power: input.number("SHARE", "Chance that the tasks it asks for separate the two", {
      default: 0.8,
      least: 0.5,
      most: 0.999_999,
    }),
    unscored: input.choice("WHAT", "What has no score: left out, or 0", ["out", "zero"], { default: "out" }),
    require: input.choice("WHAT", "What passes: not-worse, or better", REQUIRED, { default: "not-worse" }),
  },
  examples: [
    "limbeck compare before.json after.json",
    "limbeck compare 'results.json#gpt-5-mini' 'results.json#claude-haiku' --metric score",
    "limbeck compare logs/old.eval logs/new.eval --require better --json",
  ],
  line: {
    verdict: "better, worse or tied: the second against the first",
    metric: "the score that is compared",
    tasks: "tasks with a score on both sides",
    base: "of the first: file, format, arm or null, mean, trials, alone (tasks the other has not), unscored",
    new: "the same of the second",
    difference: "mean over tasks of the second less the first",
    low: "its interval",
    high: "its interval",
    p: "two-sided",
    test: "mcnemar (exact) or t",
    better: "tasks on which the second is ahead",
    worse: "tasks on which it is behind",
    equal: "tasks on which they are the same",
    more: "tasks more that would separate a tie at this difference; null where none was seen",
    passed: "whether --require holds",
  },
  run: async (given, frame) => {
    const { readResults } = await import("limbeck-store/record/results/read-results");
    const { compareResults } = await import("limbeck-store/record/results/compare-results");
    const { cwd, signal } = frame;
    const read = { cwd, signal, format: given.format };
    const [base, other] = [await readResults(given.base, read), await readResults(given.new, read)];
    if (base.path === other.path && base.arm === other.arm)
      throw usageError("Both are the same results. Name two files, or two arms of one: FILE#ARM.");
    const { confidence, power, metric } = given;
    const found = compareResults(base, other, { metric, confidence, power, unscoredAsZero: given.unscored === "zero" });
    const { first, second, ...figures } = found;
    const passed = found.verdict === "better" || (given.require === "not-worse" && found.verdict === "tied");
    const side = (file: string, { format, arm }: typeof base) => ({ file, format, arm: arm ?? null });
    frame.emit({
      ...figures,
      base: { ...side(given.base, base), ...first },
      new: { ...side(given.new, other), ...second },
      passed,
    });
    const named = [
      { name: given.base, ...first, format: base.format },
      { name: given.new, ...second, format: other.format },
    ];
    (await import("../compare/show-compare.ts")).showCompared(frame, found, named, power);
    return passed ? EXIT.done : EXIT.gate;
  },
});

async function formatNames(): Promise<readonly string[]> {
  return Object.keys((await import("limbeck-store/record/results/registry")).resultFormats);
}
