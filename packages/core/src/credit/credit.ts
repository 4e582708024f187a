/**
 * The contract of a credit method: rows with returns in, named terms of per-token advantages out. Pure and synchronous.
 *
 * A method returns terms, not advantages. The engine (`assign.ts`) adds them up and masks them, so the terms always
 * explain the result: A[row][token] = sum over terms of weight * value.
 */
import type { MethodInfo } from "limbeck-base/base/method-info";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { badAnswer, callPart } from "limbeck-base/base/parts/contain";
import { kindOfValue, madePart, type PartHome, type PartKind } from "limbeck-base/base/parts/part";
import type { Json } from "limbeck-base/base/json";
import type { IndexedBatch } from "./batch-index.ts";
import type { Need, Supplies } from "./needs.ts";
import type { CreditRow } from "./row.ts";

export type { IndexedBatch } from "./batch-index.ts";
export type { CreditBatch, CreditRow } from "./row.ts";

/** A named part of the advantage: one value for a row, or one for each token. */
export interface Term {
  readonly weight: number;
  readonly perRow?: Float64Array;
  readonly perToken?: readonly Float64Array[];
}

/** What a method computes. */
export interface Terms {
  readonly terms: Readonly<Record<string, Term>>;
  readonly metrics?: Readonly<Record<string, number>>;
  /** Rows that a trainer leaves out, by index; their advantages are 0. */
  readonly dropped?: readonly number[];
  /** Targets of a value head. */
  readonly returns?: readonly Float64Array[];
  /** Factor of the clip range of each row, for objectives that clip. Default: 1. */
  readonly clipScales?: Float64Array;
}

export interface CreditResult extends Terms {
  /** One array for each row, aligned with its mask; exactly 0 where the mask is 0. */
  readonly advantages: readonly Float64Array[];
  readonly metrics: Readonly<Record<string, number>>;
  readonly dropped: readonly number[];
}

/** A batch in the form of `limbeck credit --in`, small enough to check with a pencil. */
export interface Example {
  readonly about: string;
  readonly batch: Json;
  readonly options?: Readonly<Record<string, number | string | boolean | null>>;
}

/**
 * What holds for its defaults on groups of two and more, without penalties and, where anything is left then, without
 * teachers. The contract suite checks it both ways: a law that holds must be declared.
 */
export interface Laws {
  /** Adding a constant to every outcome changes nothing. */
  readonly shift: boolean;
  /** Multiplying all rewards by a positive constant: the same (up to epsilon), proportional, or neither. */
  readonly scale: "same" | "proportional" | "neither";
  /** Advantages of a task's rows, each counted once, add up to 0. */
  readonly zeroSum: boolean;
}

export interface CreditMethod<Options extends OptionTable = OptionTable> {
  readonly info: MethodInfo;
  /** What it cannot do without. */
  readonly needs: readonly Need[];
  /** What it needs under some options or on some rows, and when. */
  readonly mayNeed?: Readonly<Partial<Record<Need, string>>>;
  /** Which of `mayNeed` a training is to supply under these options. */
  wants?(options: OptionValues<Options>): readonly Need[];
  /**
   * Options that live on from update to update, and the metric each takes its next value from. Of a sequence of tasks,
   * each begins with its own number as `task` and with 0 as `update`, where these are carried.
   */
  readonly carries?: Readonly<Record<string, string>>;
  /** Settings of a training in the place of the shared defaults. */
  readonly takes?: { readonly learningRate: number };
  /** Whether it says how wide the clip range of a row is; a training then takes steps in which clips act. */
  readonly clipScales?: boolean;
  readonly options: Options;
  readonly laws: Laws;
  readonly example: Example;
  compute(batch: IndexedBatch, options: OptionValues<Options>): Terms;
}

type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (part: infer Whole) => void
  ? Whole
  : never;

/** A row that has what was asked for. */
export type RowWith<Wanted extends Need> = CreditRow &
  ([Wanted] extends [never] ? unknown : Intersection<Supplies[Wanted]>);

const CREDIT: PartKind<CreditMethod> = {
  kind: "credit method",
  maker: "defineCredit",
  functions: ["compute"],
  guard: (method, home) => ({
    ...method,
    compute: (batch, options) =>
      checkTerms(
        callPart(home, "compute", () => method.compute(batch, options)),
        batch.rows,
        home,
      ),
  }),
};

/**
 * Makes a credit method: an entry of the registry, or one of your own. What `needs` names is there, by type, in the rows
 * that `compute` receives.
 *
 * @example
 * const outcomeOnly = defineCredit({
 *   info: { title: "Outcome only", meaning: "An episode's outcome, for each of its tokens.", paper: "Our own", confidence: "practice", formula: [], departures: [] },
 *   options: { scale: option.number(1, "factor of the outcome", { above: 0 }) },
 *   laws: { shift: false, scale: "proportional", zeroSum: false },
 *   example: { about: "No rows.", batch: { rows: [], trajectories: {} } },
 *   compute: ({ rows, trajectories }, { scale }) => {
 *     const outcomes = rows.map(({ trajectory }) => scale * (trajectories.get(trajectory)?.outcome ?? 0));
 *     return { terms: { outcome: { weight: 1, perRow: Float64Array.from(outcomes) } } };
 *   },
 * });
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * console.log(credit({ method: outcomeOnly, of: trajectories }).metrics["rows"]); // 1
 */
export function defineCredit<const Options extends OptionTable, const Needs extends readonly Need[] = []>({
  needs,
  compute,
  ...rest
}: Omit<CreditMethod<Options>, "needs" | "compute"> & {
  /** Default: nothing but outcomes. */
  readonly needs?: Needs;
  readonly compute: (batch: IndexedBatch<RowWith<Needs[number]>>, options: OptionValues<Options>) => Terms;
}): CreditMethod<Options> {
  // `assign.ts` has checked the needs before it calls.
  const method: CreditMethod<Options> = {
    ...rest,
    needs: needs ?? [],
    compute: (batch, options) => compute(batch as IndexedBatch<RowWith<Needs[number]>>, options),
  };
  madePart(method as CreditMethod, CREDIT);
  return method;
}

// Whether what a credit method from a user's file computed fits the rows: as many values as rows or tokens, all numbers.

interface Row {
  readonly mask: ArrayLike<number>;
}

function checkTerms<Given>(given: Given, rows: readonly Row[], home: PartHome): Given {
  const fault = termsFault(given, rows);
  if (fault === undefined) return given;
  throw badAnswer(home, "compute", fault);
}

function termsFault(given: unknown, rows: readonly Row[]): string | undefined {
  const terms: unknown = typeof given === "object" && given !== null && "terms" in given ? given.terms : undefined;
  if (typeof terms !== "object" || terms === null) return `it gave no "terms", but ${kindOfValue(given)}`;
  for (const [name, term] of Object.entries(terms as Readonly<Record<string, unknown>>)) {
    const fault = termFault(term, rows);
    if (fault !== undefined) return `the term "${name}" ${fault}`;
  }
  return undefined;
}

function termFault(term: unknown, rows: readonly Row[]): string | undefined {
  if (typeof term !== "object" || term === null) return `is ${kindOfValue(term)}, not an object`;
  const { weight, perRow, perToken } = term as Readonly<Record<string, unknown>>;
  if (!Number.isFinite(weight)) return `has the weight ${String(weight)}, which is not a finite number`;
  if (perRow !== undefined) return valuesFault(perRow, rows.length, "rows");
  if (perToken === undefined) return `has neither "perRow" nor "perToken"`;
  if (!Array.isArray(perToken)) return `has ${kindOfValue(perToken)} as "perToken", not a list`;
  if (perToken.length !== rows.length) return `has ${perToken.length} lists for ${rows.length} rows`;
  for (const [at, values] of perToken.entries()) {
    const fault = valuesFault(values, rows[at]?.mask.length ?? 0, `tokens of row ${at}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function valuesFault(values: unknown, length: number, of: string): string | undefined {
  if (!(values instanceof Float64Array)) return `has ${kindOfValue(values)} of values, not a Float64Array`;
  if (values.length !== length) return `has ${values.length} values for ${length} ${of}`;
  const at = values.findIndex((value) => !Number.isFinite(value));
  return at < 0 ? undefined : `is ${values[at]} at ${at} of the ${of}, which is not a finite number`;
}
