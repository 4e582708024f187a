/** Who acts: the agent that the options of `limbeck rollout` and `limbeck eval` describe. */
import { lookUp } from "../../base/index.ts";
import {
  createDemonstratorAgent,
  createTextAgent,
  createTokenAgent,
  agentSettings,
  type Agent,
  type Prompting,
  type Speech,
} from "../../rollout/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { givenCount, openGiven } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { namedPolicy, type AgentPlace } from "./named-policy.ts";

export interface ChosenAgent {
  readonly agent: Agent;
  /** The same policy, prompted in another way; missing for scripts, which read no prompts. */
  readonly prompted?: (change: (prompting: Prompting) => Prompting) => Agent;
  /** How many of the policy's tokens a text has, where it shows them. */
  readonly countTokens?: (text: string) => number;
  /** What is kept of an episode of this agent. Default: the episode as it is. */
  readonly finished?: (trajectory: Trajectory) => Promise<Trajectory>;
  close(): Promise<void>;
}

export async function chosenAgent(invocation: Invocation, place: AgentPlace): Promise<ChosenAgent> {
  const named = await namedPolicy(invocation, place);
  if (named.kind === "chat") return await chatAgent(invocation, named.speech);
  if (named.kind === "model") return await modelAgent(invocation, place.command, named.folder, named.speech);
  const demonstrator = lookUp(place.world.demonstrators ?? {}, named.name, "scripted agent");
  return { agent: createDemonstratorAgent(demonstrator), close: () => Promise.resolve() };
}

async function chatAgent(invocation: Invocation, speech: Speech): Promise<ChosenAgent> {
  if (speech.restrict) throw usageError("--restrict needs a model with tokens; a chat cannot be confined.");
  const { chatServerFrom, createChatPolicy, openChatModel } = await import("../../policy/chat/index.ts");
  const concurrency = givenCount(invocation, "concurrency", 8);
  const policy = createChatPolicy(openChatModel(chatServerFrom(invocation.io.env), { concurrency }));
  const settings = { policy, ...agentSettings(speech) };
  return {
    agent: createTextAgent(settings),
    prompted: (change) => createTextAgent({ ...settings, prompting: change(settings.prompting) }),
    close: () => policy.close(),
  };
}

async function modelAgent(
  invocation: Invocation,
  command: string,
  folder: string,
  speech: Speech,
): Promise<ChosenAgent> {
  const { requireTokenizer } = await import("../../policy/local/open-model.ts");
  const { createChatDialect } = await import("../../policy/local/chat-dialect.ts");
  const model = await openGiven(invocation, command, { folder });
  try {
    const dialect = await createChatDialect(requireTokenizer(model));
    const settings = { policy: model, dialect, ...agentSettings(speech), restrict: speech.restrict };
    const frame = dialect.turn("").length;
    return {
      agent: createTokenAgent(settings),
      prompted: (change) => createTokenAgent({ ...settings, prompting: change(settings.prompting) }),
      countTokens: (text) => dialect.turn(text).length - frame,
      close: () => model.close(),
    };
  } catch (error) {
    await model.close();
    throw error;
  }
}
