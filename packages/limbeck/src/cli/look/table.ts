/** Aligned tables that know how wide the terminal is. */
import type { Invocation } from "../command.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
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

/** A cell that begins with a number and is no more than that: "0.193 (2 seeds)", "1 to 2 a", "12 of 16: 0.750 [0.505, 0.898]". */
const NUMBER = /^[+\-−×]?\d[\d,.]*(?:[%\s]|$)/;
const LONGEST_NUMBER = 48;

function isNumber(cell: string): boolean {
  return cell.length <= LONGEST_NUMBER && NUMBER.test(cell);
}

/**
 * The lines of a table. Cells are cleaned here. Where it does not fit, room is taken from the widest column of words: the
 * last one goes on in the next line, others are cut with `…`. Numbers are never cut: where there is no room for all of them,
 * each row becomes a block of lines.
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
  const whole = columns.map(({ align }, index) => align === "right" || cells.some((row) => isNumber(row[index] ?? "")));
  const gaps = GAP.length * (columns.length - 1);
  const widths = options.width === undefined ? natural : fit(natural, whole, options.width - gaps);
  if (options.width !== undefined && whole.includes(true) && total(widths) + gaps > options.width) {
    return blockLines(columns, cells, { style: options.style, width: options.width });
  }
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

/** Each row as a block: its first cell, and below it a line for every other cell that says something. */
function blockLines(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  { style, width }: Required<TableOptions>,
): string[] {
  const titles = columns.map(({ title }) => cleanLine(title));
  const widest = Math.max(...titles.slice(1).map(textWidth));
  const room = Math.max(NARROWEST, width - GAP.length * 2 - widest);
  return cells.flatMap((row, at) => {
    const [first = ""] = row;
    const name = columns[0]?.align === "right" ? `${titles[0]} ${first}` : first;
    const lines = columns.slice(1).flatMap((column, index) => {
      const cell = row[index + 1] ?? "";
      if (cell === "") return [];
      const shown = cell.length > MOST_FOLDED ? `${cell.slice(0, MOST_FOLDED - 1)}…` : cell;
      return wrap(shown, room).map((line, part) => {
        const title = padEnd(part === 0 ? (titles[index + 1] ?? "") : "", widest);
        return `${GAP}${style.dim(title)}${GAP}${column.paint?.(line, cell) ?? line}`;
      });
    });
    return [...(at === 0 ? [] : [""]), style.bold(name), ...lines];
  });
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0);
}

/** Takes columns from the widest of words until the row fits or nothing is left to take. */
function fit(natural: readonly number[], whole: readonly boolean[], room: number): number[] {
  const numbers = natural.map((width, index) => (whole[index] === true ? width : 0));
  const words = natural.map((width, index) => (whole[index] === true ? 0 : width));
  return fitWords(words, room - total(numbers)).map((width, index) => width + (numbers[index] ?? 0));
}

function fitWords(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  let excess = total(widths) - room;
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
