/** A training that needs somebody to show how a task is done is refused before anything is played where there is nobody. */
import { EngineError } from "../base/index.ts";
import type { CreditMethod } from "../credit/index.ts";
import type { Demonstrator } from "../env/index.ts";
import type { Recipe } from "../recipe/index.ts";
import { getStrategy } from "../rollout/index.ts";
import { providersFor } from "../update/providers/index.ts";
import { settingsUnder, type Settings } from "../update/settings.ts";

export interface DemonstratedTraining {
  readonly names: { readonly recipe: string; readonly credit: string; readonly strategy: string; readonly env: string };
  readonly recipe: Recipe;
  readonly credit: CreditMethod;
  readonly settings: Settings;
  readonly demonstrator?: Demonstrator | undefined;
  /** Whether episodes come from the named strategy: not from a search, or from one that was given. */
  readonly walks: boolean;
  /** Whether a text model writes reflections and corrections. */
  readonly isWritten?: boolean;
}

/** What a teacher is told that only a demonstrator knows. */
const SOLVING_CONTEXTS: readonly unknown[] = ["answer", "reference-solution"];
/** Providers that ask for a solution of every task. */
const SOLVING_PROVIDERS: readonly string[] = ["answer-probability", "answer-teacher", "tool-references"];

export function requireDemonstrator(training: DemonstratedTraining): void {
  if (training.demonstrator !== undefined) return;
  const [who] = askers(training);
  if (who === undefined) return;
  const { env } = training.names;
  throw new EngineError(
    "needs-unmet",
    `${who} needs somebody who can show how a task is done, and the world ${env} has no demonstrator here. Choose another one (limbeck methods says what each needs), a world that has one (limbeck envs), or give a demonstrator in code.`,
    { details: { world: env } },
  );
}

function askers({ names, recipe, credit, settings, walks, isWritten = false }: DemonstratedTraining): string[] {
  const { needs = [] } = walks ? getStrategy(names.strategy) : {};
  const chosen = walks ? [settings["strategy.by"], settings["strategy.from"]] : [];
  const strategic = needs.some((need) => need === "corrector" || need === "reflector") || chosen.includes("corrector");
  const asked = providersFor(credit, settingsUnder(settings, "credit.")).some((id) => SOLVING_PROVIDERS.includes(id));
  return [
    ...(recipe.demonstrated?.(settings) === true ? [`The recipe ${names.recipe}`] : []),
    ...(SOLVING_CONTEXTS.includes(settings["context"])
      ? [`The context "${String(settings["context"])}" of the recipe ${names.recipe}`]
      : []),
    ...(strategic && !isWritten ? [`The strategy ${names.strategy} of the recipe ${names.recipe}`] : []),
    ...(asked ? [`The credit method ${names.credit}`] : []),
  ];
}
