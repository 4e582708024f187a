/** The last lines of a run of the tests: what was skipped and how to get what it needs, then all counts on one line. */
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";

/**
 * Titles of tests that can be skipped end in their need: `… (needs redis-server: apt-get install redis-server)`. A need is a program, reference data,
 * or a part of a platform; a test that is skipped for anything else fails the run.
 */
const NEED =
  /\((needs (?:DuckDB|\.\.\/shared\/data|\/proc|a package registry|a shell|Chromium|file modes|LIMBECK_\w+|openssl|Python|python3|redis-server|the signals|unshare)\b[^()]*)\)/g;

export class SkippedReporter implements Reporter {
  readonly #write: (text: string) => void;
  /** With `-t` or `.only` a person has chosen; what is left out then was not skipped. */
  #chosen = false;

  constructor(write: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#write = write;
  }

  onInit(vitest: Vitest): void {
    this.#chosen = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const broken = errors.length + modules.filter(brokenBeforeItsTests).length;
    const { lines, idle } = closingLines(tests.map(outcomeOf), broken);
    this.#write(lines.map((line) => `${line}\n`).join(""));
    if (idle.length === 0 || this.#chosen) return;
    this.#write(
      `A test may be skipped for a missing program or missing reference data alone, and its title says so: (needs …). Skipped otherwise:\n`,
    );
    this.#write(idle.map((title) => `  ${title}\n`).join(""));
    process.exitCode = 1;
  }
}

export interface Outcome {
  readonly title: string;
  readonly state: "failed" | "passed" | "skipped";
}

/** `broken`: files and processes that failed outside any test; each counts as a failure. `idle`: skipped without a need. */
export function closingLines(outcomes: readonly Outcome[], broken: number): { lines: string[]; idle: string[] } {
  const skipped = outcomes.filter(({ state }) => state === "skipped");
  const reasons = new Map<string, number>();
  const idle: string[] = [];
  for (const { title } of skipped) {
    const need = [...title.matchAll(NEED)].at(-1)?.[1];
    if (need === undefined) idle.push(title);
    const reason = need ?? title;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const passed = outcomes.filter(({ state }) => state === "passed").length;
  const failed = outcomes.length - skipped.length - passed + broken;
  const lines = [
    ...[...reasons].map(([reason, count]) => `Skipped ${count}: ${reason}`),
    `Tests: ${passed} passed, ${failed} failed, ${skipped.length} skipped`,
  ];
  return { lines, idle };
}

function outcomeOf(test: TestCase): Outcome {
  const result = test.result();
  const { state } = result;
  // A test that found out while it ran says why in a note.
  const note = result.state === "skipped" && result.note !== undefined ? ` (${result.note})` : "";
  // A test that never ended has no result; it did not pass.
  return { title: `${test.fullName}${note}`, state: state === "pending" ? "failed" : state };
}

function brokenBeforeItsTests(module: TestModule): boolean {
  return module.state() === "failed" && module.errors().length > 0;
}
