/** The order of test files: random within each kind. */
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { createRng, shuffle } from "../../src/base/rng.ts";

/** A shared process ends when a file of another kind is next, so each kind runs in one piece. */
export class ShuffledByKind extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const shuffled = shuffle(files, createRng(this.ctx.config.sequence.seed));
    return Promise.resolve(shuffled.sort((one, other) => one.project.name.localeCompare(other.project.name)));
  }
}
