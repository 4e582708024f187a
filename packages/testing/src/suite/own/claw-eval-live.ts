/**
 * A frozen release of errands at a desk, as in Claw-Eval-Live: graded by the books as they were left, not by words. The digest
 * stands in it, so that a world that has changed is an error and not another figure.
 */
import type { Demonstrator } from "limbeck-core/env/expert";
import type { SuiteInput } from "../suite.ts";
import { DESK, errands } from "./desk.ts";
import type { MadeSuite } from "./made-suite.ts";

const RELEASE = "2026-11";

/** Says that all is done, whatever is asked; it never calls a tool. */
const claims: Demonstrator = {
  id: "claims",
  summary: "Says that it is done and calls no tool.",
  start: () => ({ next: () => "It is done. Is there anything else I can help with?" }),
};

/** By words is the control: the same release for a grader that reads what was said last. */
export function clawEvalLive(by: "books" | "words"): MadeSuite {
  const meaning =
    by === "books"
      ? "A frozen release of errands that only a change of the books serves, graded by the books."
      : "The same release, graded by what the agent says of it.";
  return {
    meaning,
    scripts: { claims },
    make: async () => {
      const shared = { world: DESK.world, options: DESK.options, split: DESK.split };
      const tasks: SuiteInput["tasks"] = (await errands()).map(({ at, lines }) => ({
        ...shared,
        id: `errand/${at}`,
        at,
        solution: lines.join("\n"),
        answer: "done",
      }));
      const grader = by === "books" ? "outcome" : { use: "text", options: { match: "contains" } };
      return { suite: `claw-eval-live-${by}`, version: RELEASE, meaning, grader, frozen: FROZEN, tasks };
    },
  };
}

/** Of the release: SHA-256 of its tasks as the world lists them. */
const FROZEN = "87db463d307a571bb449b7a3286b9e558784eb1b30117c0af29d10a4cf61a792";
