/** The last lines of a run of the tests: what was skipped and how to get what it needs, then all counts on one line. */
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Titles of tests that can be skipped end in their need: `… (needs redis-server: apt-get install redis-server)`. */
const NEED = /\((needs [^()]*)\)/g;

export class SkippedReporter implements Reporter {
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#write = write;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const lines = closingLines(tests.map(outcomeOf), errors.length + modules.filter(brokenBeforeItsTests).length);
    this.#write(lines.map((line) => `${line}\n`).join(""));
  }
}

export interface Outcome {
  readonly title: string;
  readonly state: "failed" | "passed" | "skipped";
}

/** `broken`: files and processes that failed outside any test; each counts as a failure. */
export function closingLines(outcomes: readonly Outcome[], broken: number): string[] {
  const skipped = outcomes.filter(({ state }) => state === "skipped");
  const reasons = new Map<string, number>();
  for (const { title } of skipped) {
    const reason = [...title.matchAll(NEED)].at(-1)?.[1] ?? title;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const passed = outcomes.filter(({ state }) => state === "passed").length;
  const failed = outcomes.length - skipped.length - passed + broken;
  return [
    ...[...reasons].map(([reason, count]) => `Skipped ${count}: ${reason}`),
    `Tests: ${passed} passed, ${failed} failed, ${skipped.length} skipped`,
  ];
}

function outcomeOf(test: TestCase): Outcome {
  const { state } = test.result();
  // A test that never ended has no result; it did not pass.
  return { title: test.fullName, state: state === "pending" ? "failed" : state };
}

function brokenBeforeItsTests(module: TestModule): boolean {
  return module.state() === "failed" && module.errors().length > 0;
}
