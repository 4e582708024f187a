/**
 * A small harness: warm-up, repetitions, median and spread, and the goal each figure is held to.
 *
 * A bench file exports `Bench` objects; one line in `run.ts` makes it known.
 */

export interface Bench {
  /** "store/ingest-48": what the name filter of `npm run bench -- NAME` matches. */
  readonly name: string;
  /** One sentence: what is measured, end to end. */
  readonly summary: string;
  readonly unit: string;
  /** What the figure is held to; "at least" for rates, "at most" for times and sizes. */
  readonly goal?: { readonly at: "least" | "most"; readonly value: number };
  /** Measured runs after `warmUps` unmeasured ones. Default: 5 and 1. */
  readonly repetitions?: number;
  readonly warmUps?: number;
  /** Measured runs go on until the median is known to within this (95%), or the seconds are over. Default: they do not. */
  readonly until?: { readonly within: number; readonly seconds: number };
  /** Builds what the runs share; not measured. */
  setUp(folder: string): Promise<BenchRun>;
}

export interface BenchRun {
  /** Does the work once and returns the figure, in the bench's unit. */
  measure(): Promise<number>;
  /** Facts to print beside the figure, after the last run: sizes, memory. */
  notes?(): Readonly<Record<string, number | string>>;
  /** Stops what would keep the process alive. */
  close?(): Promise<void>;
}

export interface Result {
  readonly name: string;
  readonly summary: string;
  readonly unit: string;
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly runs: readonly number[];
  /** Where the median of further runs would be (95%), if there were enough of them to say. */
  readonly interval?: Interval;
  readonly goal?: { readonly at: "least" | "most"; readonly value: number };
  readonly met?: boolean;
  readonly notes: Readonly<Record<string, number | string>>;
}

export async function runBench(bench: Bench, folder: string): Promise<Result> {
  const run = await bench.setUp(folder);
  for (let index = 0; index < (bench.warmUps ?? 1); index += 1) await run.measure();
  const runs: number[] = [];
  const begun = performance.now();
  for (let index = 0; index < (bench.repetitions ?? 5) || goesOn(bench, runs, begun); index += 1) {
    runs.push(await run.measure());
  }
  const notes = run.notes?.() ?? {};
  await run.close?.();
  const sorted = runs.toSorted((left, right) => left - right);
  const middle = median(sorted);
  const interval = intervalOf(runs);
  const { name, summary, unit, goal } = bench;
  const met = goal === undefined ? undefined : goal.at === "least" ? middle >= goal.value : middle <= goal.value;
  return {
    name,
    summary,
    unit,
    median: middle,
    low: sorted[0] ?? Number.NaN,
    high: sorted.at(-1) ?? Number.NaN,
    runs,
    ...(interval === undefined ? {} : { interval }),
    ...(goal === undefined || met === undefined ? {} : { goal, met }),
    notes,
  };
}

/** A result as one printed line. */
export function lineOf({ name, median, low, high, unit, goal, met, notes, interval }: Result): string {
  const text = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 3 : 0 });
  const held =
    goal === undefined ? "" : `  goal: at ${goal.at} ${text(goal.value)}, ${met === true ? "met" : "MISSED"}`;
  const facts = Object.entries(notes).map(
    ([key, value]) => `${key} ${typeof value === "number" ? text(value) : value}`,
  );
  const known = interval === undefined ? "" : `, median ${text(interval[0])} to ${text(interval[1])}`;
  const figure = `${text(median)} ${unit} (${text(low)} to ${text(high)}${known})`;
  return `${name.padEnd(24)} ${figure.padEnd(46)}${held}${facts.length === 0 ? "" : `  [${facts.join(", ")}]`}`;
}

/** Seconds that the work took. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Resident memory of this process now, in MiB. */
export function memoryMib(): number {
  return Math.round(process.memoryUsage.rss() / 1024 / 1024);
}

export type Interval = readonly [low: number, high: number];

function goesOn({ until }: Bench, runs: readonly number[], begun: number): boolean {
  if (until === undefined || performance.now() - begun > 1_000 * until.seconds) return false;
  const [low, high] = intervalOf(runs) ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return (high - low) / 2 > until.within;
}

/**
 * Of the median, by how many runs lie below it: half of them, as coins fall. At most 2.5% are left out on either side; fewer than
 * six runs cannot say it.
 */
export function intervalOf(runs: readonly number[]): Interval | undefined {
  const sorted = runs.toSorted((left, right) => left - right);
  let [chance, below, least] = [0.5 ** sorted.length, 0.5 ** sorted.length, -1];
  while (below <= 0.025) {
    least += 1;
    chance *= (sorted.length - least) / (least + 1);
    below += chance;
  }
  return least < 0 ? undefined : [sorted[least] as number, sorted[sorted.length - 1 - least] as number];
}

function median(sorted: readonly number[]): number {
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}
