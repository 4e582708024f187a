/**
 * How few rows a decoding step may run with, so that a row's numbers do not depend on how many there are.
 *
 * The runtime sums a product's terms in blocks. How long a block is depends on how many columns a thread has, and that
 * on how many rows there are: wide products are divided by columns, tall ones by rows, small ones not at all. Two block
 * lengths round differently in the last bit. So every product of a lane is computed over at least as many tokens as put it on one side,
 * those of a lane that decodes by empty rows, those of a lane that reads each by itself: most of them need few. Products of up to 128 terms
 * are one block, and free.
 *
 * The rules are those of the runtime's CPU kernels (MLAS, sgemm.cpp: thread partition and strides), found to hold for
 * version 1.30 by the test beside this file. A single token is never multiplied: it takes another path altogether.
 */
import { availableParallelism } from "node:os";
import { matrixShapes, type ModelConfig } from "./model-config.ts";
import { EngineError } from "limbeck-base/base/errors";

/** Multiplications that are worth a thread, and columns that threads are given at a time. */
const THREAD_WORK = 65_536;
const COLUMNS = 16;

/** A product of [rows * width, terms] with [terms, columns]; `width` is 1 where only a row's last token is computed. */
interface Product {
  readonly columns: number;
  readonly terms: number;
  readonly width: number;
}

/** Products of this size are computed over at least so many tokens. */
export interface Tall {
  readonly columns: number;
  readonly terms: number;
  readonly tokens: number;
}

export interface Least {
  /** Of a run; a power of two, or `maxRows`. */
  readonly rows: number;
  /** What is left to products, where a run may have fewer tokens than they need. */
  readonly tall: readonly Tall[];
}

export function leastRows(config: ModelConfig, width: number, maxRows: number, threads?: number): Least {
  // Products with frozen matrices in few bits round each row by itself; only the adapter's are left.
  if (config.quantised === true && config.lora === undefined) return { rows: 1, tall: [] };
  // The runtime's own choice of threads is not known; it is at most this.
  const most = threads ?? availableParallelism();
  const counts = threads === undefined ? Array.from({ length: most }, (_, at) => at + 1) : [threads];
  const products = productsOf(config, width);
  const rowsOf = (product: Product): number => {
    const sign = (rows: number): string =>
      counts.map((count) => blocksOf(product, rows * product.width, count)).join(" ");
    const wanted = sign(maxRows);
    let least = maxRows;
    for (const rows of bucketsBelow(maxRows, product.width, width > 1)) {
      if (sign(rows) !== wanted) break;
      least = rows;
    }
    return bucket(least, 1, maxRows);
  };
  const all = products.map(rowsOf);
  // Threads would divide the columns of each head's attention if they were more than heads.
  const attending =
    bucketsBelow(maxRows, width, width > 1).findLast((rows) => rows * config.keyValueHeads >= most) ?? maxRows;
  const whole = Math.log2(maxRows) % 1 === 0;
  if (width === 1 || config.quantised === true || !whole || attending >= Math.max(...all))
    return { rows: Math.max(Math.min(2, maxRows), ...all), tall: [] };
  const tall = products.flatMap(({ columns, terms, width: own }, at) => {
    const needed = all[at] as number;
    return needed > attending ? [{ columns, terms, tokens: own * needed }] : [];
  });
  return { rows: attending, tall: distinct(tall) };
}

/** The largest of each size. */
function distinct(tall: readonly Tall[]): Tall[] {
  const sizes = new Map<string, Tall>();
  for (const one of tall) {
    const key = `${one.columns} ${one.terms}`;
    if (one.tokens > (sizes.get(key)?.tokens ?? 0)) sizes.set(key, one);
  }
  return [...sizes.values()];
}

/** The sizes that rows are padded to, from the largest below `maxRows` down. */
function bucketsBelow(maxRows: number, width: number, fine: boolean): number[] {
  const sizes = new Set<number>();
  const least = width > 1 ? 1 : 2;
  for (let rows = maxRows - 1; rows >= least; rows -= 1) sizes.add((fine ? fineBucket : bucket)(rows, least, maxRows));
  sizes.delete(maxRows);
  return [...sizes];
}

function productsOf(config: ModelConfig, width: number): Product[] {
  const { hiddenSize, vocabularySize, lora, quantised } = config;
  const sizes = [...matrixShapes(config).values()];
  const adapted =
    lora === undefined
      ? []
      : sizes.flatMap(([columns, terms]) => [[lora.rank, terms] as const, [columns, lora.rank] as const]);
  if (quantised === true) return adapted.map(([columns, terms]) => ({ columns, terms, width }));
  const products = [...sizes, ...adapted].map(([columns, terms]) => ({ columns, terms, width }));
  return [...products, { columns: vocabularySize, terms: hiddenSize, width: 1 }];
}

/** The length of the blocks in which each group of columns is summed. */
function blocksOf({ columns, terms }: Product, rows: number, threads: number): string {
  const groups = Math.ceil(columns / COLUMNS);
  const worth = Math.floor((rows * columns * terms) / THREAD_WORK) + 1;
  const parts = columns > rows ? Math.min(threads, worth, groups) : 1;
  const lengths: number[] = [];
  for (let part = 0, start = 0; part < parts; part += 1) {
    const size = Math.floor(groups / parts) + (part < groups % parts ? 1 : 0);
    const own = Math.min(columns - start * COLUMNS, size * COLUMNS);
    for (let group = 0; group < size; group += 1) lengths.push(blockLength(own, terms));
    start += size;
  }
  return lengths.join(",");
}

function blockLength(columns: number, terms: number): number {
  let [wide, deep] = [128, 128];
  if (columns < terms) {
    while (wide > COLUMNS && wide / 2 >= columns) [wide, deep] = [wide / 2, deep * 2];
  }
  return Math.min(deep, terms);
}

// Sizes that graphs are compiled for. Few sizes mean few sessions; static shapes run fastest.

/** From this size on there is one in between: of a batch or a cache that is half empty, half is computed for nothing. */
const LEAST_BETWEEN = 12;

/** The smallest size that holds `count`, of powers of two and three quarters of them, at least `least`, and never more than `most`. */
export function fineBucket(count: number, least: number, most: number): number {
  const size = bucket(count, least, most);
  const between = 0.75 * size;
  return between >= Math.max(count, least, LEAST_BETWEEN) && Number.isInteger(between) ? between : size;
}

/** The smallest power of two that holds `count`, at least `least`, and never more than `most`. */
export function bucket(count: number, least: number, most: number): number {
  if (count > most) throw new EngineError("too-large", `${count} is more than the largest size ${most}.`);
  let size = least;
  while (size < count) size *= 2;
  return Math.min(size, most);
}
