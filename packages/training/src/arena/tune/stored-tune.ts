/** A tune in its folder: `tune.json` says what is tried, with what, and how every round that is over came out. */
import { join } from "node:path";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { replaceFile, textIfThere } from "limbeck-base/base/files";
import { checkedData, jsonIn } from "limbeck-base/base/given-file";
import { readPlan, type ArenaPlan } from "../plan.ts";
import type { Round } from "./halving.ts";

/** What a tune may spend in all, over its runs; minutes are those of the clock. */
export const tuneAccounts = ["steps", "tokens", "model-tokens", "minutes"] as const;

const budgetSchema = z.strictObject({ account: z.enum(tuneAccounts), amount: z.number().positive() });
export type TuneBudget = z.infer<typeof budgetSchema>;

const schema = z.strictObject({
  version: z.literal(1),
  budget: budgetSchema,
  /** Runs side by side, which minutes are counted with. */
  jobs: z.int().positive(),
  trials: z.array(z.strictObject({ name: z.string(), values: z.record(z.string(), z.string()), own: z.boolean() })),
  /** The words of a command line that trains as the trials do, without what is searched over. */
  words: z.array(z.string()),
  /** Of the first round; its budget is the round's. */
  plan: z.unknown(),
  rounds: z.array(
    z.strictObject({
      trials: z.array(z.string()),
      amount: z.number().positive(),
      scores: z.record(z.string(), z.array(z.number().nullable())),
      spent: z.number().nonnegative(),
      overhead: z.number().nonnegative().optional(),
    }),
  ),
});

export interface StoredTune extends Omit<z.infer<typeof schema>, "plan" | "rounds"> {
  readonly plan: ArenaPlan;
  readonly rounds: readonly Round[];
}

const FILE = "tune.json";

export async function storedTune(dir: string): Promise<StoredTune | undefined> {
  const file = join(dir, FILE);
  const text = await textIfThere(file);
  if (text === undefined) return undefined;
  const data = checkedData(schema, jsonIn(text, file), `"${file}" is not a tune`, "the whole");
  const plan = readPlan(data.plan, `"plan" of "${file}"`);
  const named = plan.arms.map(({ name }) => name);
  if (data.trials.map(({ name }) => name).join("\n") === named.join("\n")) return { ...data, plan };
  throw new EngineError("bad-input", `"${file}" is not a tune: its trials are not the arms of its plan.`);
}

export async function storeTune(dir: string, tune: StoredTune): Promise<void> {
  await replaceFile(join(dir, FILE), `${JSON.stringify(tune, undefined, 2)}\n`);
}

/** "steps=40000", "minutes=10". */
export function parseTuneBudget(text: string): TuneBudget {
  const [account = "", amount = "", ...rest] = text.split("=");
  const parsed = budgetSchema.safeParse({ account, amount: amount.trim() === "" ? Number.NaN : Number(amount) });
  const whole = account === "minutes" || Number.isInteger(Number(amount));
  if (parsed.success && rest.length === 0 && whole) return parsed.data;
  throw new EngineError(
    "usage",
    `"${text}" is not a budget of a tune; give ${tuneAccounts.map((name) => `${name}=N`).join(", ")} with N above 0: steps=40000.`,
  );
}
