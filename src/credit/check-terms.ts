/** Whether what a credit method from a user's file computed fits the rows: as many values as rows or tokens, all numbers. */
import { badAnswer } from "../base/parts/contain.ts";
import { kindOfValue, type PartHome } from "../base/parts/part.ts";

interface Row {
  readonly mask: ArrayLike<number>;
}

export function checkTerms<Given>(given: Given, rows: readonly Row[], home: PartHome): Given {
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
