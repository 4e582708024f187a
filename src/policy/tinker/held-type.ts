/**
 * Types in which a server may hold the settings of a step. SkyRL on JAX holds them in the type of the model: in bfloat16
 * the numbers below 1 end at 1 - 2^-8, so a beta2 of 0.999 is 1, Adam's correction divides by 1 - 1, and every parameter
 * of that server, also of its other models, is NaN from then on. Steps report the learning rate as it is held, which tells
 * the type without such a step.
 */
import { EngineError } from "../../base/index.ts";
import type { StepOptions } from "../policy.ts";

/** With the bits of its significand. */
const heldTypes = { float32: 24, float16: 11, bfloat16: 8 } as const;
export type HeldType = keyof typeof heldTypes;

const STANDARD = { beta1: 0.9, beta2: 0.999 } as const;
/** In the place of a beta2 that the trainer's type cannot hold. */
const COARSE_BETA2 = 0.99;
const EQUAL = 2 ** -20;

/** The nearest number that a type holds, whatever its exponent. */
export function heldIn(type: HeldType, value: number): number {
  if (value === 0) return 0;
  const step = 2 ** (Math.floor(Math.log2(Math.abs(value))) - heldTypes[type] + 1);
  return Math.round(value / step) * step;
}

/** The type in which a number that was sent came back as this; undefined where it is none of them. */
export function typeOf(sent: number, told: number): HeldType | undefined {
  const names = Object.keys(heldTypes) as HeldType[];
  return names.find((type) => Math.abs(told - heldIn(type, sent)) <= EQUAL * sent);
}

/** The name of a type in a model's configuration. */
export function namedType(name: unknown): HeldType | undefined {
  return typeof name === "string" && Object.hasOwn(heldTypes, name) ? (name as HeldType) : undefined;
}

/** Both betas, as they can be sent; one that was asked for and would be 1 is refused. */
export function betasFor(
  type: HeldType | undefined,
  { beta1 = STANDARD.beta1, beta2 }: Pick<StepOptions, "beta1" | "beta2">,
): { readonly beta1: number; readonly beta2: number } {
  const fits = (value: number): boolean => type === undefined || heldIn(type, value) < 1;
  for (const [name, value] of Object.entries({ beta1, ...(beta2 === undefined ? {} : { beta2 }) })) {
    if (fits(value)) continue;
    throw new EngineError(
      "bad-option",
      `${name} is ${value}; the trainer holds the settings of a step in ${type}, where that is 1 and every parameter would become NaN. Take one below ${below(type as HeldType)}, or a base model in float32.`,
      { details: { [name]: value, type } },
    );
  }
  return { beta1, beta2: beta2 ?? (fits(STANDARD.beta2) ? STANDARD.beta2 : COARSE_BETA2) };
}

/** Notice where the standard betas do not fit; undefined where they do. */
export function coarseWords(type: HeldType | undefined): string | undefined {
  const { beta2 } = betasFor(type, {});
  if (beta2 === STANDARD.beta2) return undefined;
  return `The trainer holds the settings of a step in ${type}, where a beta2 of ${STANDARD.beta2} is 1; steps are made with ${beta2}. --set beta2=N chooses another below ${below(type as HeldType)}.`;
}

/** Half a step below 1, from where on a number becomes 1. */
function below(type: HeldType): number {
  return 1 - 2 ** -(heldTypes[type] + 1);
}
