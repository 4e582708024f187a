/** What the tests cost: the dearest files of a run by processor time, on the screen and, fifty of them, in a file. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** Seconds of processor time of a file, its imports and programs included; `test/setup.ts` measures it. */
    processorSeconds?: number;
  }
}

export interface Cost {
  readonly file: string;
  readonly tests: number;
  readonly seconds: number;
}

const SHOWN = 20;
const KEPT = 50;

export class CostReporter implements Reporter {
  readonly #root: string;
  readonly #file: string;

  constructor(root: string, file: string) {
    [this.#root, this.#file] = [root, file];
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const costs = modules.map((module) => ({
      file: relative(this.#root, module.moduleId),
      tests: [...module.children.allTests()].length,
      seconds: module.meta().processorSeconds ?? 0,
    }));
    const lines = costLines(costs, KEPT);
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, `${lines.join("\n")}\n`);
    // One file is not a comparison.
    if (costs.length === 1) return;
    process.stdout.write(
      `${costLines(costs, SHOWN).join("\n")}\nFifty of them: ${relative(this.#root, this.#file)}\n\n`,
    );
  }
}

/** The sum, and the `most` dearest. */
export function costLines(costs: readonly Cost[], most: number): string[] {
  const total = costs.reduce((sum, { seconds }) => sum + seconds, 0);
  const dearest = costs.toSorted((one, other) => other.seconds - one.seconds).slice(0, most);
  return [
    `Processor time of ${costs.length} test files: ${total.toFixed(0)} s, on Linux with the programs that they start. The dearest:`,
    ...dearest.map(({ file, tests, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file} (${tests})`),
  ];
}
