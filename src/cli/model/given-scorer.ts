/** `--scorer`: a bundled scorer by the name of its world, or a folder. */
import { resolve } from "node:path";
import { bundledScorers } from "../../training/scorer/open-scorer.ts";
import type { Invocation } from "../command.ts";

export function givenScorer(invocation: Pick<Invocation, "text" | "io">): string | undefined {
  const given = invocation.text("scorer");
  if (given === undefined || bundledScorers.some((name) => name === given)) return given;
  return resolve(invocation.io.cwd, given);
}
