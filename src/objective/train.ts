/**
 * The contract of the room: an objective of the registry makes an `Objective` from its options and says about itself
 * what a reader needs: paper, formula, defaults and where it departs from what was published.
 */
import { EngineError, unknownName } from "../base/index.ts";
import type { Objective, StatisticName, TrainRow } from "../policy/index.ts";

/** Where a formula comes from: public code that was read, the paper, or only its abstract. */
export type Confidence = "code" | "paper" | "inferred";

export interface ObjectiveInfo {
  readonly title: string;
  readonly paper: string;
  readonly confidence: Confidence;
  readonly formula: string;
  /** One sentence for a list. */
  readonly meaning: string;
  readonly departures: readonly string[];
  readonly defaults: Readonly<Record<string, unknown>>;
}

export interface ObjectiveMethod<Options extends object> {
  readonly info: ObjectiveInfo;
  /** Statistics the learner must compute. */
  readonly needs: readonly StatisticName[];
  /** Fields that every trained row must carry. */
  readonly rowFields: readonly (keyof TrainRow)[];
  /** Options are checked here, once; an unknown or impossible one is refused by name. */
  readonly create: (options?: Partial<Options>) => Objective;
}

/** Given options over the defaults; a name that is not among the defaults is refused, so that no typing error is silent. */
export function withDefaults<Options extends object>(
  id: string,
  defaults: Options,
  given: Partial<Options> = {},
): Options {
  const known = Object.keys(defaults);
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw unknownName(name, known, `option of ${id}`);
  }
  const told = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(told) };
}

/** The error for an option that has the right name and an impossible value. */
export function badOption(id: string, name: string, value: unknown, allowed: string): EngineError {
  return new EngineError("bad-option", `${id}: ${name} is ${String(value)}; it must be ${allowed}.`, {
    details: { objective: id, option: name, value: String(value), allowed },
  });
}

/** A number inside closed bounds, or an error that names the option. */
export function checkNumber(id: string, name: string, value: unknown, low: number, high = Number.MAX_VALUE): number {
  if (typeof value === "number" && value >= low && value <= high) return value;
  const allowed = high === Number.MAX_VALUE ? `a finite number of at least ${low}` : `a number from ${low} to ${high}`;
  throw badOption(id, name, value, allowed);
}
