/**
 * Methods that made the policy worse in a small training at their defaults. The data are measured: `npm run docs` writes
 * packages/training/data/unlearned.json from docs/evidence/generated/matrix.json.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";

const schema = z.array(
  z.strictObject({
    kind: z.string(),
    name: z.string(),
    env: z.string(),
    updates: z.number(),
    before: z.number(),
    after: z.number(),
  }),
);

type Unlearned = z.infer<typeof schema>[number];

export interface ChosenNames {
  readonly env: string;
  readonly recipe: string;
  /** Only what was chosen in the place of the recipe's own. */
  readonly credit?: string | undefined;
  readonly strategy?: string | undefined;
  readonly objective?: string | undefined;
}

/** Worlds that a method of a room has unlearned, in words. */
export function unlearnedWorlds(room: string, name: string, among: readonly Unlearned[] = measured()): string[] {
  const wanted = room === "rollout" ? "strategy" : room;
  return among
    .filter((one) => one.kind === wanted && one.name === name)
    .map(
      ({ env, before, after, updates }) =>
        `${env}: success ${before} to ${after} in ${updates} small updates, one seed`,
    );
}

/** What a person should know before a training with these begins; one sentence each. */
export function unlearnedWarnings({ env, ...names }: ChosenNames, among: readonly Unlearned[] = measured()): string[] {
  return Object.entries(names).flatMap(([kind, name]) => {
    const found = among.find((one) => one.kind === kind && one.name === name && one.env === env);
    if (found === undefined) return [];
    const { before, after, updates } = found;
    return [
      `${name} has unlearned ${env} at its defaults: success ${before} to ${after} in ${updates} small updates, one seed (docs/evidence/generated/matrix.md). Watch validation; a lower learningRate is the first thing to try.`,
    ];
  });
}

let known: readonly Unlearned[] | undefined;

/** Read once. */
function measured(): readonly Unlearned[] {
  known ??= read();
  return known;
}

function read(): readonly Unlearned[] {
  let text: string;
  try {
    text = readFileSync(new URL("../../data/unlearned.json", import.meta.url), "utf8");
  } catch {
    // A bundle may be without it; a training needs no warning to run.
    return [];
  }
  return schema.parse(JSON.parse(text));
}
