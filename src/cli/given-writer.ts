/** Who writes, by `--ask`, for commands that are not operations yet. */
import type { Writer } from "../skill/index.ts";
import { givenWriter as writerFor } from "../skill/writer/given-writer.ts";
import type { Invocation } from "./command.ts";

/** The words of `--ask`, undefined without it; by itself it is the chat model of the environment. */
export function givenAsk(invocation: Invocation): string | undefined {
  const asked = invocation.text("ask");
  return asked === "true" ? "chat" : asked;
}

export async function givenWriter(
  invocation: Invocation,
  policy?: () => Promise<string | undefined>,
): Promise<Writer | undefined> {
  const { env: environment, cwd } = invocation.io;
  return await writerFor(givenAsk(invocation), { cwd, environment, note: invocation.note }, policy);
}
