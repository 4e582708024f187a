/** Who writes, by `--ask`. */
import { ABSENT, openWriter } from "../skill/writer/open-writer.ts";
import type { Writer } from "../skill/index.ts";
import type { Invocation } from "./command.ts";

/** The words of `--ask`, undefined without it; by itself it is the chat model of the environment. */
export function givenAsk(invocation: Invocation): string | undefined {
  const said = invocation.text("ask");
  return said === "true" ? "chat" : said;
}

/** Opens who was asked for; close it. `policy` is who stands for the word "policy" here, as `local:DIR`. Default: nobody. */
export async function givenWriter(
  invocation: Invocation,
  policy?: () => Promise<string | undefined>,
): Promise<Writer | undefined> {
  const asked = givenAsk(invocation);
  if (asked === undefined) return undefined;
  const { env: environment, cwd } = invocation.io;
  const writer = await openWriter((asked === "policy" ? await policy?.() : undefined) ?? asked, { environment, cwd });
  if (writer.id === ABSENT) {
    invocation.note("The bundled writer (limbeck-writer-model) is not installed: templates write in its place.");
  }
  return writer;
}
