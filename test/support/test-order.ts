/** The order of test files: slices first, then random within each kind, and those that start programs first. */
import { readFileSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { createRng, shuffle } from "../../packages/base/src/base/rng.ts";

/** They take longest; begun last, one of them would keep a single core busy while the others wait. */
const STARTS_PROGRAMS = /\b(?:execFile|spawn|builtChild|startChild|runKills|browserPath)\b/;

/** Few and long: at the end one core would wait for the other. */
const isSlice = ({ project }: TestSpecification): boolean => project.name === "slice";

/** A shared process ends when a file of another kind is next, so each kind runs in one piece. */
export class ShuffledByKind extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const shuffled = shuffle(files, createRng(this.ctx.config.sequence.seed));
    const rank = new Map(
      shuffled.map((file) => [file, STARTS_PROGRAMS.test(readFileSync(file.moduleId, "utf8")) ? 0 : 1]),
    );
    return Promise.resolve(
      shuffled.sort(
        (one, other) =>
          Number(isSlice(other)) - Number(isSlice(one)) ||
          one.project.name.localeCompare(other.project.name) ||
          (rank.get(one) ?? 1) - (rank.get(other) ?? 1),
      ),
    );
  }
}
