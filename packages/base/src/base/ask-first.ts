/** Asking before something that cannot be taken back. */
import { EngineError } from "./errors.ts";
import type { Context } from "./operation.ts";

/** Whether a person says yes. Without a terminal, `unasked` is the error. */
export async function askFirst(
  { ask }: Pick<Context, "ask">,
  question: string,
  unasked: string,
  details: Record<string, unknown> = {},
): Promise<boolean> {
  const answer = await ask(question);
  if (answer === undefined) throw new EngineError("needs-yes", unasked, { details });
  return isYes(answer);
}

export function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim());
}
