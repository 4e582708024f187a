/**
 * The contract suite of teachers: one test per promise, with any runner that has `describe` and `test`.
 *
 *   teacherContract({ name: "my teacher", open: openMine, vocabularySize: 1024, runner: { describe, test } });
 *
 * `open` gives a fresh teacher for every promise; it is closed afterwards.
 */
import { createRng } from "limbeck-base/base/rng";
import { errorCode, EngineError } from "limbeck-base/base/errors";
import type { Runner } from "limbeck-base/base/test-runner";
import type { RowStatistics, ScoreRow, Scorer } from "limbeck-policy/policy/policy";
import type { Teacher } from "./teacher.ts";

export interface TeacherContractOptions {
  readonly name: string;
  readonly open: () => Promise<Teacher>;
  readonly vocabularySize: number;
  /** Ids that may be asked of it. Default: all of the vocabulary. */
  readonly ids?: readonly number[];
  readonly runner: Runner;
  /** Log-probabilities may differ by so much between two batchings. Default: 1e-4. */
  readonly tolerance?: number;
}

type Promised = (teacher: Teacher, options: TeacherContractOptions) => Promise<void>;

/**
 * Registers the suite.
 *
 * @example
 * import { openTeacher } from "limbeck/update";
 * import { bundledModel } from "limbeck/local";
 *
 * const tests: (() => Promise<void>)[] = [];
 * const runner = { describe: (_: string, body: () => void) => body(), test: (_: string, body: () => Promise<void>) => tests.push(body) };
 * const model = await openModel(bundledModel("household"));
 * const open = () => openTeacher("self", model, { start: model.weights, decay: 0.9 });
 * teacherContract({ name: "self", open, vocabularySize: model.config.vocabularySize, runner });
 * for (const one of tests) await one();
 * console.log(tests.length); // 5
 * await model.close();
 */
export function teacherContract(options: TeacherContractOptions): void {
  const promises: Readonly<Record<string, Promised>> = {
    "log-probabilities are finite, at most 0, and only where asked": scoresWhereAsked,
    "a row is judged alike alone and among others": batchesAlike,
    "candidates, where it has them, agree with the sampled token": candidatesAgree,
    "what it cannot compute is refused by name": refusesOthers,
    "an update of the policy may be told at any time": learns,
  };
  options.runner.describe(`${options.name} keeps the teacher contract`, () => {
    for (const [title, check] of Object.entries(promises)) {
      options.runner.test(title, async () => {
        const teacher = await options.open();
        try {
          await check(teacher, options);
        } finally {
          await teacher.close?.();
        }
      });
    }
  });
}

const LENGTHS = [2, 5, 9] as const;

function rowsFor({ vocabularySize, ids, name }: TeacherContractOptions): ScoreRow[] {
  const rng = createRng(`teacher contract ${name}`);
  const allowed = ids ?? Array.from({ length: vocabularySize }, (_, id) => id);
  return LENGTHS.map((length) => ({
    ids: Int32Array.from({ length }, () => allowed[rng.int(allowed.length)] as number),
    mask: Uint8Array.from({ length }, (_, at) => (at === length - 1 || at % 2 === 1 ? 1 : 0)),
  }));
}

const scoresWhereAsked: Promised = async ({ scorer }, options) => {
  const rows = rowsFor(options);
  const scored = await logprobs(scorer, rows);
  for (const [at, { ids, mask }] of rows.entries()) {
    const values = scored[at] as Float32Array;
    if (values.length !== ids.length) throw broken(`row ${at} has ${values.length} values for ${ids.length} tokens`);
    for (const [token, value] of values.entries()) {
      const asked = token > 0 && mask?.[token] === 1;
      const right = asked ? Number.isFinite(value) && value <= 1e-6 : value === 0;
      if (!right) throw broken(`token ${token} of row ${at} is ${value}, ${asked ? "asked" : "not asked"}`);
    }
  }
};

const batchesAlike: Promised = async ({ scorer }, options) => {
  const rows = rowsFor(options);
  const together = await logprobs(scorer, rows);
  for (const [at, row] of rows.entries()) {
    const [alone] = await logprobs(scorer, [row]);
    compare(together[at], alone, options, `row ${at}`);
  }
};

const candidatesAgree: Promised = async ({ scorer }, options) => {
  if (!scorer.statistics.includes("candidates")) return;
  const count = 2;
  const { vocabularySize } = options;
  const rows = rowsFor(options).map((row) => ({
    ...row,
    // The sampled token, and another one.
    candidates: {
      count,
      ids: Int32Array.from([...row.ids].flatMap((id) => [id, (id + 1) % vocabularySize])),
    },
  }));
  const scored = await scorer.score(rows, { statistics: ["logprob", "candidates"] });
  for (const [at, { logprob, candidates }] of scored.entries()) {
    const first = Float32Array.from(logprob ?? [], (_, token) => candidates?.[token * count] ?? Number.NaN);
    compare(first, logprob, options, `candidates of row ${at}`);
  }
};

const refusesOthers: Promised = async ({ scorer }, options) => {
  if (scorer.statistics.includes("value")) return;
  const failed = await scorer.score(rowsFor(options), { statistics: ["value"] }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failed === undefined) throw broken('it answers for the statistic "value", which it does not name as its own');
  if (errorCode(failed) === undefined) throw broken("it refuses a statistic without a code");
};

const learns: Promised = async (teacher, options) => {
  const before = await logprobs(teacher.scorer, rowsFor(options));
  teacher.learned();
  const after = await logprobs(teacher.scorer, rowsFor(options));
  for (const [at, values] of after.entries()) {
    if (values.length !== before[at]?.length || !values.every(Number.isFinite))
      throw broken(`row ${at} after an update`);
  }
};

async function logprobs(scorer: Scorer, rows: readonly ScoreRow[]): Promise<Float32Array[]> {
  const scored: RowStatistics[] = await scorer.score(rows, { statistics: ["logprob"] });
  if (scored.length !== rows.length) throw broken(`there are ${scored.length} answers to ${rows.length} rows`);
  return scored.map(({ logprob }) => logprob ?? new Float32Array(0));
}

function compare(
  left: Float32Array | undefined,
  right: Float32Array | undefined,
  { tolerance = 1e-4 }: TeacherContractOptions,
  where: string,
): void {
  for (const [token, value] of (left ?? []).entries()) {
    const other = right?.[token] ?? Number.NaN;
    if (!(Math.abs(value - other) <= tolerance)) throw broken(`${where}, token ${token}: ${value} and ${other}`);
  }
}

function broken(what: string): EngineError {
  return new EngineError("teacher-contract", `The teacher breaks its contract: ${what}.`);
}
