/** Analysts by name, for settings and options that are words. */
import { EngineError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import type { ChatModelOptions } from "limbeck-policy/policy/chat/chat-model";
import { createModelAnalyst } from "./model/model.ts";
import type { Analyst } from "./skill.ts";
import { createStatisticsAnalyst } from "./statistics/statistics.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const makers: Readonly<Record<string, (environment: Environment, options: ChatModelOptions) => Promise<Analyst>>> = {
  statistics: () => Promise.resolve(createStatisticsAnalyst()),
  model: async (environment, options) => {
    const { chatServerFrom } = await import("limbeck-policy/policy/chat/server");
    const { openChatModel } = await import("limbeck-policy/policy/chat/chat-model");
    try {
      return createModelAnalyst({ chat: openChatModel(chatServerFrom(environment), options) });
    } catch (error) {
      if (!(error instanceof EngineError && error.code === "bad-option")) throw error;
      throw new EngineError(
        "bad-option",
        `The analyst "model" asks a chat model for its skills. ${error.message} ${WITHOUT}`,
        {
          cause: error,
        },
      );
    }
  },
};

/** The preset paper of opid takes the analyst "model" by itself. */
const WITHOUT =
  "Without one: --set analyst=statistics for a training, the other settings of its preset stay (limbeck skills extract: --analyst statistics).";

/** The server of "model" is named by the variables of the environment; `options` are for its calls. */
export async function openAnalyst(
  name: string,
  environment: Environment,
  options: ChatModelOptions = {},
): Promise<Analyst> {
  return await lookUp(makers, name, "analyst")(environment, options);
}
