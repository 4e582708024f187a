/**
 * How many rows a run of a decoding step may have, so that a row's numbers do not depend on how many there are.
 *
 * The runtime sums a product's terms in blocks. How long a block is depends on how many columns a thread has, and that
 * on how many rows there are: wide products are divided by columns, tall ones by rows, small ones not at all. Two block
 * lengths round differently in the last bit. So all runs of a lane have as many rows as put every product of the model on one side:
 * few of them where such runs are long enough to be worth their while, which spares a conversation that reads alone its empty company;
 * else at least so many. Products of up to 128 terms are one block, and free.
 *
 * The rules are those of the runtime's CPU kernels (MLAS, sgemm.cpp: thread partition and strides), found to hold for
 * version 1.30 by the test beside this file. A single token is never run: it takes another path altogether.
 */
import { availableParallelism } from "node:os";
import { matrixShapes, type ModelConfig } from "./model-config.ts";

/** Multiplications that are worth a thread, and columns that threads are given at a time. */
const THREAD_WORK = 65_536;
const COLUMNS = 16;

/** A product of [rows * width, terms] with [terms, columns]; `width` is 1 where only a row's last token is computed. */
interface Product {
  readonly columns: number;
  readonly terms: number;
  readonly width: number;
}

export interface RowRange {
  /** A power of two, or `maxRows`. */
  readonly least: number;
  /** The same; a step of more rows is several runs. */
  readonly most: number;
}

/** Tokens of a run that is about as quick for its tokens as a longer one. */
const ENOUGH = 64;

export function rowRange(config: ModelConfig, width: number, maxRows: number, threads?: number): RowRange {
  // Products with frozen matrices in few bits round each row by itself; only the adapter's are left.
  if (config.quantised === true && config.lora === undefined) return { least: 1, most: maxRows };
  // The runtime's own choice of threads is not known; it is at most this.
  const most = threads ?? availableParallelism();
  const counts = threads === undefined ? Array.from({ length: most }, (_, at) => at + 1) : [threads];
  const sign = (rows: number): string =>
    productsOf(config, width)
      .flatMap((product) => counts.map((count) => blocksOf(product, rows * product.width, count)))
      .join(" ");
  const sizes = sizesUpTo(maxRows, width, Math.ceil(most / config.keyValueHeads));
  const signs = sizes.map(sign);
  const alike = signs.findIndex((other) => other !== signs[0]);
  const [first, last] = [sizes[0] as number, sizes[(alike < 0 ? sizes.length : alike) - 1] as number];
  if (last === maxRows || (last * width >= ENOUGH && maxRows % last === 0)) return { least: first, most: last };
  return { least: sizes[signs.findLastIndex((other) => other !== signs.at(-1)) + 1] as number, most: maxRows };
}

/**
 * The sizes that rows are padded to. A row alone is one of them where it takes several tokens, and where its heads are enough for
 * the threads: they would divide the columns of each head's attention otherwise.
 */
function sizesUpTo(maxRows: number, width: number, forThreads: number): number[] {
  const sizes: number[] = [];
  for (let size = 1; size < maxRows; size *= 2) {
    if (size >= 2 || (width > 1 && size >= forThreads)) sizes.push(size);
  }
  return [...sizes, maxRows];
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
