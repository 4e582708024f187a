/** Aligned tables that know how wide the terminal is. */
import type { Invocation } from "../command.ts";
import { cleanLine } from "./clean-text.ts";
import type { Style } from "./style.ts";
import { padEnd, padStart, textWidth, truncate, wrap } from "./text-width.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Colours a cell after it was padded; gets the cell's own text too. */
  readonly paint?: (padded: string, cell: string) => string;
}

export interface TableOptions {
  readonly style: Style;
  /** Columns of the terminal; no limit where the output is not a terminal. */
  readonly width?: number;
}

/** A column of numbers. */
export function right(title: string): Column {
  return { title, align: "right" };
}

/** Prints a table as wide as the terminal; where there is none, up to `piped` columns. Default: as wide as it is. */
export function printTable(
  { io: { terminal }, style, print }: Pick<Invocation, "io" | "style" | "print">,
  columns: readonly (Column | string)[],
  rows: readonly (readonly string[])[],
  { piped, indent = "" }: { readonly piped?: number; readonly indent?: string } = {},
): void {
  const full = columns.map((column) => (typeof column === "string" ? { title: column } : column));
  const width = terminal.out ? terminal.columns - indent.length : piped;
  for (const line of tableLines(full, rows, { style, ...(width === undefined ? {} : { width }) })) {
    print(`${indent}${line}`);
  }
}

const GAP = "  ";
const NARROWEST = 8;
/** Characters of a last cell that are shown in full; a stranger's text may have millions. */
const MOST_FOLDED = 2_000;

/**
 * The lines of a table. Cells are cleaned here. Where it does not fit, room is taken from the widest column of words: the
 * last one goes on in the next line, others are cut with `…`. Columns of numbers are never cut.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string[] {
  const cells = rows.map((row) => columns.map((_, index) => cleanLine(row[index] ?? "")));
  const titles = columns.map((column) => cleanLine(column.title));
  const natural = titles.map((title, index) =>
    cells.reduce((widest, row) => Math.max(widest, textWidth(row[index] ?? "")), textWidth(title)),
  );
  const widths =
    options.width === undefined ? natural : fit(natural, columns, options.width - GAP.length * (columns.length - 1));
  const { style } = options;
  const last = columns.length - 1;
  const folds = options.width !== undefined && columns[last]?.align !== "right";
  const folded = folds ? cells.flatMap((row) => fold(row, widths[last] ?? 0)) : cells;
  const line = (row: readonly string[], paint: (padded: string, index: number) => string): string =>
    row
      .map((cell, index) => paint(pad(cell, widths[index] ?? 0, columns[index], index === last), index))
      .join(GAP)
      .trimEnd();
  return [
    line(titles, (padded) => style.bold(padded)),
    line(
      widths.map((width) => "─".repeat(width)),
      (padded) => style.dim(padded),
    ),
    ...folded.map((row) => line(row, (padded, index) => columns[index]?.paint?.(padded, row[index] ?? "") ?? padded)),
  ];
}

function pad(cell: string, width: number, column: Column | undefined, last: boolean): string {
  const cut = truncate(cell, width);
  if (column?.align === "right") return padStart(cut, width);
  // Trailing blanks make a copied table ugly.
  return last ? cut : padEnd(cut, width);
}

/** The row, and rows of nothing but the rest of its last cell. */
function fold(row: readonly string[], width: number): string[][] {
  const cell = row.at(-1) ?? "";
  const shown = cell.length > MOST_FOLDED ? `${cell.slice(0, MOST_FOLDED - 1)}…` : cell;
  const [first = "", ...rest] = wrap(shown, width);
  const more = rest.map((line) => row.map((_, index) => (index === row.length - 1 ? line : "")));
  return [[...row.slice(0, -1), first], ...more];
}

/** Takes columns from the widest of words until the row fits or nothing is left to take. */
function fit(natural: readonly number[], columns: readonly Column[], room: number): number[] {
  const numbers = natural.map((width, index) => (columns[index]?.align === "right" ? width : 0));
  const words = natural.map((width, index) => (columns[index]?.align === "right" ? 0 : width));
  const left = room - numbers.reduce((total, width) => total + width, 0);
  return fitWords(words, left).map((width, index) => width + (numbers[index] ?? 0));
}

function fitWords(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((total, width) => total + width, 0) - room;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    const second = Math.max(NARROWEST, ...widths.filter((width) => width < widest));
    const tied = widths.filter((width) => width === widest).length;
    const cut = Math.max(1, Math.min(widest - second, Math.floor(excess / tied)));
    for (let index = 0; index < widths.length && excess > 0; index += 1) {
      if (widths[index] !== widest) continue;
      const taken = Math.min(cut, excess);
      widths[index] = widest - taken;
      excess -= taken;
    }
  }
  return widths;
}
