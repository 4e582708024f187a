/** A reporter for Vitest 4 and 5: repeated trials by test, held-out tasks apart, and a file that `limbeck compare` reads. */
import { isObject } from "limbeck-base/base/json";
import { replaceFile } from "limbeck-base/base/files";
import { cleanLine } from "limbeck-base/base/clean-text";
import { boundedMean } from "limbeck-base/base/statistics/share";
import { passAll, type TrialMeta } from "./run-trials.ts";

/** What is used of Vitest's modules of tests; their shape is the same since Vitest 3. */
export interface ReportedModule {
  readonly children: { allTests(): Iterable<ReportedTest> };
}
interface ReportedTest {
  readonly fullName: string;
  meta(): object;
}

export interface TrialsReporterOptions {
  /** Where rows for `limbeck compare` are written. Default: nowhere. */
  readonly file?: string;
  /** For pass^k of the summary. Default: as many trials as the test with the fewest has. */
  readonly k?: number;
  readonly print?: (line: string) => void;
}

/**
 * In `vitest.config.ts`: `reporters: ["default", new TrialsReporter({ file: "trials.jsonl" })]`.
 *
 * @example
 * const lines: string[] = [];
 * const meta = () => ({ limbeck: { trials: [true, false], heldOut: false } });
 * const module = { children: { allTests: () => [{ fullName: "refund > pays", meta }] } };
 * await new TrialsReporter({ print: (line) => lines.push(line) }).onTestRunEnd([module]);
 * console.log(lines[1]); // 1 of 2  refund > pays
 */
export class TrialsReporter {
  readonly #options: TrialsReporterOptions;

  constructor(options: TrialsReporterOptions = {}) {
    this.#options = options;
  }

  async onTestRunEnd(modules: readonly ReportedModule[]): Promise<void> {
    const { file, print = (line) => process.stdout.write(`${line}\n`) } = this.#options;
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].flatMap((test) => {
        const found = metaOf(test.meta());
        return found === undefined ? [] : [{ name: test.fullName, ...found }];
      }),
    );
    if (tests.length === 0) return;
    print("Repeated trials");
    for (const { name, trials, heldOut } of tests)
      print(`${trials.filter(Boolean).length} of ${trials.length}  ${cleanLine(name)}${heldOut ? " (held out)" : ""}`);
    for (const heldOut of [false, true]) {
      const own = tests.filter((test) => test.heldOut === heldOut);
      if (own.length > 0) print(this.#summary(own, heldOut ? "Held out" : "Seen"));
    }
    if (file === undefined) return;
    const rows = tests.flatMap(({ name, trials }) =>
      trials.map((success) => JSON.stringify({ task: name, metric: "pass", success })),
    );
    await replaceFile(file, `${rows.join("\n")}\n`);
  }

  #summary(tests: readonly TrialMeta[], title: string): string {
    const fewest = Math.min(...tests.map(({ trials }) => trials.length));
    const k = Math.min(this.#options.k ?? fewest, fewest);
    const rates = tests.map(({ trials }) => trials.filter(Boolean).length / trials.length);
    const { mean, low, high } = boundedMean(rates, 0.95, fewest);
    const all = tests.reduce((sum, { trials }) => sum + passAll(trials, k), 0) / tests.length;
    const count = `${tests.length} ${tests.length === 1 ? "test" : "tests"}`;
    return `${title}: ${count}, pass ${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}], pass^${k} ${all.toFixed(3)}`;
  }
}

/** Meta comes from test files, which anybody may write. */
function metaOf(meta: object): TrialMeta | undefined {
  const { limbeck } = meta as { readonly limbeck?: unknown };
  if (!isObject(limbeck) || !Array.isArray(limbeck["trials"])) return undefined;
  const trials = limbeck["trials"].filter((trial): trial is boolean => typeof trial === "boolean");
  return trials.length === 0 ? undefined : { trials, heldOut: limbeck["heldOut"] === true };
}
