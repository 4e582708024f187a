/** What a claim's command must print: a name, a comparison, a number, as in `credit/droppedRows > 0`. */

export interface Metric {
  readonly name: string;
  readonly comparison: Comparison;
  readonly bound: number;
}

const COMPARISONS = {
  ">=": (value: number, bound: number) => value >= bound,
  "<=": (value: number, bound: number) => value <= bound,
  ">": (value: number, bound: number) => value > bound,
  "<": (value: number, bound: number) => value < bound,
} as const;

type Comparison = keyof typeof COMPARISONS;

/** Undefined where the text is no comparison with a number. */
export function readMetric(text: string): Metric | undefined {
  const [, name, comparison, bound] = /^(\S+) (>=|<=|>|<) (-?\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (name === undefined || comparison === undefined) return undefined;
  return { name, comparison: comparison as Comparison, bound: Number(bound) };
}

/** Every number of this name: a measure of an update (`metrics`), or a field, `spent.envSteps` being one of a field. */
export function valuesOf(name: string, printed: readonly object[]): number[] {
  return printed
    .flatMap((object) => [field(field(object, "metrics"), name), name.split(".").reduce<unknown>(field, object)])
    .filter((value) => typeof value === "number");
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Whether a printed value of that name meets the condition. */
export function holds({ name, comparison, bound }: Metric, printed: readonly object[]): boolean {
  return valuesOf(name, printed).some((value) => COMPARISONS[comparison](value, bound));
}
