/** Analysts by name, for settings and options that are words. */
import { lookUp } from "../base/index.ts";
import type { ChatModelOptions } from "../policy/chat/index.ts";
import { createModelAnalyst } from "./model/index.ts";
import type { Analyst } from "./skill.ts";
import { createStatisticsAnalyst } from "./statistics/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const makers: Readonly<Record<string, (environment: Environment, options: ChatModelOptions) => Promise<Analyst>>> = {
  statistics: () => Promise.resolve(createStatisticsAnalyst()),
  model: async (environment, options) => {
    const { chatServerFrom, openChatModel } = await import("../policy/chat/index.ts");
    return createModelAnalyst({ chat: openChatModel(chatServerFrom(environment), options) });
  },
};

/** The server of "model" is named by the variables of the environment; `options` are for its calls. */
export async function openAnalyst(
  name: string,
  environment: Environment,
  options: ChatModelOptions = {},
): Promise<Analyst> {
  return await lookUp(makers, name, "analyst")(environment, options);
}
