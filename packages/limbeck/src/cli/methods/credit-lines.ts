/** Advantages for a person: one line a row, each term in its own column. */
import type { CreditBatch } from "limbeck-core/credit/row";
import type { CreditResult, Term } from "limbeck-core/credit/credit";
import type { Style } from "../look/style.ts";
import { tableLines } from "../look/table.ts";
import { formatNumber } from "limbeck-base/base/units";

const SHOWN_TOKENS = 6;

export function creditLines(
  batch: CreditBatch,
  result: CreditResult,
  options: { readonly style: Style; readonly width?: number },
): string[] {
  const { style } = options;
  const terms = Object.entries(result.terms);
  const left = new Set(result.dropped);
  return tableLines(
    [
      { title: "task", paint: style.dim },
      { title: "trajectory" },
      { title: "step", align: "right" },
      ...terms.map(([name, { weight }]) => ({
        title: weight === 1 ? name : `${formatNumber(weight)} × ${name}`,
        align: "right" as const,
      })),
      { title: "advantage", paint: style.bold },
    ],
    batch.rows.map((row, at) => [
      row.task,
      row.trajectory,
      String(row.step),
      ...terms.map(([, term]) => tokenText(termTokens(term, row.mask, at), row.mask)),
      left.has(at) ? "dropped" : tokenText(result.advantages[at] ?? new Float64Array(), row.mask),
    ]),
    options,
  );
}

function termTokens({ perRow, perToken }: Term, mask: Uint8Array, at: number): Float64Array {
  return Float64Array.from(mask, (_, token) => (perRow?.[at] ?? 0) + (perToken?.[at]?.[token] ?? 0));
}

/** One number where all trained tokens share it, otherwise the first few; `·` is a masked token. */
function tokenText(values: Float64Array, mask: Uint8Array): string {
  const first = mask.indexOf(1);
  if (first === -1) return "·";
  const same = values.every((value, token) => mask[token] === 0 || value === values[first]);
  if (same) return formatNumber(values[first] ?? 0);
  const shown = Array.from(values.subarray(0, SHOWN_TOKENS), (value, token) =>
    mask[token] === 0 ? "·" : formatNumber(value),
  );
  return `${shown.join(" ")}${values.length > SHOWN_TOKENS ? ` … (${values.length} tokens)` : ""}`;
}
