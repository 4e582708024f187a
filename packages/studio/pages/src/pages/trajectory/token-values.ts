/** The numbers of one token, taken from the arrays of its step. */
import type { StepTokens } from "../../../../src/serve/api.ts";
import type { Measure } from "../../colour/token-colour.ts";

export interface TokenPart {
  readonly name: string;
  readonly weight: number;
  readonly value: number;
  /** Weight times value: what it adds to the advantage. */
  readonly adds: number;
}

export interface TokenFacts {
  readonly step: number;
  readonly position: number;
  readonly id: number;
  readonly text: string;
  readonly advantage: number | undefined;
  readonly parts: readonly TokenPart[];
  readonly shift: number | undefined;
  readonly divergence: number | undefined;
  readonly teacher: StepTokens["teacher"];
  readonly entropy: number | undefined;
  readonly probability: number | undefined;
  readonly sampledProbability: number | undefined;
}

/** The values of a measure at every token; null where the step does not have it. */
export function valuesOf(
  tokens: StepTokens,
  measure: Measure,
  entropy: readonly (number | null)[] | undefined,
): readonly (number | null)[] | null {
  if (measure === "advantage") return tokens.advantage;
  if (measure === "teacher") return tokens.shift;
  if (measure === "divergence") return tokens.divergence;
  if (measure === "probability") return tokens.probability;
  return tokens.entropy ?? entropy ?? null;
}

export function tokenText(tokens: StepTokens, position: number): string {
  const text = tokens.texts?.[position] ?? "";
  // Without a tokenizer beside the run a token is known by its number only; so is one that is a part of a letter.
  return text === "" ? `#${tokens.ids[position] ?? "?"} ` : text;
}

export function factsOf(
  tokens: StepTokens,
  step: number,
  position: number,
  entropy: readonly (number | null)[] | undefined,
): TokenFacts {
  return {
    step,
    position,
    id: tokens.ids[position] ?? -1,
    text: tokenText(tokens, position),
    advantage: tokens.advantage?.[position],
    parts: (tokens.terms ?? []).map(({ name, weight, values }) => {
      const value = values[position] ?? 0;
      return { name, weight, value, adds: weight * value };
    }),
    shift: tokens.shift?.[position],
    divergence: tokens.divergence?.[position],
    teacher: tokens.teacher,
    entropy: (tokens.entropy ?? entropy)?.[position] ?? undefined,
    probability: tokens.probability?.[position],
    sampledProbability: tokens.sampledProbability?.[position],
  };
}
