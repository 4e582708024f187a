/** A trained judge as a folder: what it learnt, its card, and the same judge when it is opened again. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import { textIfThere } from "limbeck-base/base/files";
import type { Step } from "limbeck-base/trajectory/trajectory";
import type { JudgingMetrics, Reads } from "./judging.ts";
import { stepText } from "./planted.ts";
import { createWordJudge, type WordJudge } from "./word-judge.ts";

const FILE = "judge.json";

const schema = z.object({
  form: z.literal(1),
  kind: z.literal("words"),
  method: z.string(),
  seed: z.number(),
  /** Bookings: steps of the ledger. Texts: what its own method makes, and nothing that is recorded. */
  reads: z.enum(["bookings", "texts"]),
  /** Judges of before 18 November 2026: whether they were given what they were to find out. */
  order: z.literal(false).optional(),
  metrics: z.record(z.string(), z.number()),
  weights: z.record(z.string(), z.number()),
});

export interface SavedJudge extends Pick<WordJudge, "chance"> {
  readonly method: string;
  readonly reads: Reads;
  /** What it was worth on samples that were held out, when it was trained. */
  readonly metrics: JudgingMetrics;
  /** How good each step is, from 0 to 1; it reads what the world says of the event and the first line of the action. */
  scoreSteps(steps: readonly Pick<Step, "observation" | "action">[]): number[];
}

export interface JudgeToSave extends Pick<SavedJudge, "method" | "reads" | "metrics"> {
  readonly seed: number;
  readonly judge: WordJudge;
}

export async function saveJudge(folder: string, { judge, method, seed, reads, metrics }: JudgeToSave): Promise<void> {
  await mkdir(folder, { recursive: true });
  const weights = judge.learnt();
  // Seven digits: what it says does not change in the fifth.
  const short = Object.fromEntries([...weights].map(([feature, weight]) => [feature, Number(weight.toPrecision(7))]));
  const card = { form: 1, kind: "words", method, seed, reads, metrics, weights: short };
  await writeFile(join(folder, FILE), `${JSON.stringify(card)}\n`);
  const lines = [
    `# Judge by ${method}`,
    `A linear model over ${weights.size} words and pairs of words, seed ${seed}. It reads ${reads === "bookings" ? "bookings of the ledger, step by step" : "texts as its method makes them"}.`,
    "On samples that were held out:",
    Object.entries(metrics)
      .map(([name, value]) => `- ${name}: ${value.toFixed(3)}`)
      .join("\n"),
  ];
  await writeFile(join(folder, "JUDGE.md"), `${lines.join("\n\n")}\n`);
}

/** The judge of this folder; undefined where none lies there. */
export async function findJudge(folder: string): Promise<SavedJudge | undefined> {
  const text = await textIfThere(join(folder, FILE));
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new EngineError(
      "bad-input",
      `${FILE} of "${folder}" is not a judge: ${parsed.error.issues[0]?.message ?? ""}. Make one with limbeck reward judge --out DIR.`,
    );
  }
  const { method, seed, reads, metrics, weights } = parsed.data;
  const judge = createWordJudge({ seed, weights: new Map(Object.entries(weights)) });
  return {
    method,
    reads,
    metrics,
    chance: (text) => judge.chance(text),
    scoreSteps: (steps) => {
      if (reads === "bookings")
        return steps.map(({ observation, action }) => judge.chance(stepText(observation, action)));
      throw new EngineError("bad-value", `the judge of "${method}" reads texts of its own method, not recorded steps`);
    },
  };
}

/**
 * Opens what `limbeck reward judge --out DIR` wrote.
 *
 * @example
 * await openJudge("nowhere").catch((error: Error) => console.log(error.message.slice(0, 32))); // "nowhere" is no judge: it has no
 */
export async function openJudge(folder: string): Promise<SavedJudge> {
  const found = await findJudge(folder);
  if (found !== undefined) return found;
  throw new EngineError(
    "bad-input",
    `"${folder}" is no judge: it has no ${FILE}. Make one with limbeck reward judge --out DIR.`,
  );
}
