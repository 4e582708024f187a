/** The exact tokens of a response, compactly: id and log-probability. */
import type { Step, Trajectory } from "../../trajectory/index.ts";
import type { Style } from "../look/style.ts";
import { padEnd, wrap } from "../look/text-width.ts";
import { formatNumber, plural } from "../look/units.ts";

export function tokenLines(
  trajectory: Trajectory,
  step: Step,
  options: { readonly style: Style; readonly columns: number },
): string[] {
  const { style } = options;
  const stream = step.span === undefined ? undefined : trajectory.streams[step.span.stream];
  if (step.span === undefined || stream === undefined) return [style.dim("no tokens recorded")];
  const { start, end } = step.span;
  const ids = [...stream.ids.subarray(start, end)];
  const logprobs = stream.logprobs === undefined ? undefined : [...stream.logprobs.subarray(start, end)];
  const facts = [plural(ids.length, "token")];
  if (logprobs !== undefined && ids.length > 0) {
    facts.push(`mean log-probability ${formatNumber(logprobs.reduce((sum, value) => sum + value, 0) / ids.length)}`);
  }
  const version = distinct(stream.versions?.subarray(start, end));
  if (version !== "") facts.push(`version ${version}`);
  const temperature = distinct(stream.temperatures?.subarray(start, end));
  if (temperature !== "") facts.push(`temperature ${temperature}`);
  const cells = ids.map((id, index) => {
    const value = logprobs?.[index];
    return value === undefined ? String(id) : `${id}:${compact(value)}`;
  });
  return [
    ...wrap(facts.join(" · "), options.columns).map((line) => style.dim(line)),
    ...gridLines(cells, options.columns).map((line) => style.magenta(line)),
  ];
}

/** Two decimals; a number so large that it can only be a mistake stays short. */
function compact(value: number): string {
  return Math.abs(value) < 1000 ? value.toFixed(2) : value.toExponential(1);
}

function distinct(values: ArrayLike<number> | undefined): string {
  if (values === undefined) return "";
  return [...new Set(Array.from(values))].map(formatNumber).join("/");
}

/** Cells of one width, as many a line as fit. */
function gridLines(cells: readonly string[], columns: number): string[] {
  const width = Math.max(1, ...cells.map((cell) => cell.length)) + 1;
  const perLine = Math.max(1, Math.floor(columns / width));
  const lines: string[] = [];
  for (let first = 0; first < cells.length; first += perLine) {
    const row = cells.slice(first, first + perLine).map((cell) => padEnd(cell, width));
    lines.push(row.join("").trimEnd());
  }
  return lines;
}
