/** `--scorer`, for commands that are not operations yet. */
import { scorerPlace } from "../../training/scorer/open-scorer.ts";
import type { Invocation } from "../command.ts";

export function givenScorer({ text, io }: Pick<Invocation, "text" | "io">): string | undefined {
  return scorerPlace(text("scorer"), io.cwd);
}
