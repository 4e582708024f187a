/** Who acts: the agent that the options of `limbeck rollout` and `limbeck eval` describe. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError, lookUp } from "../../base/index.ts";
import type { World } from "../../env/index.ts";
import {
  actionForms,
  createDemonstratorAgent,
  createTextAgent,
  createTokenAgent,
  getPrompting,
  type ActionForm,
  type Agent,
  type Prompting,
} from "../../rollout/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { givenCount, givenNumber, openGiven } from "../model/open-given.ts";
import { usageError } from "../parse.ts";

export interface ChosenAgent {
  readonly agent: Agent;
  /** The same policy, prompted in another way; missing for scripts, which read no prompts. */
  readonly prompted?: (change: (prompting: Prompting) => Prompting) => Agent;
  /** How many of the policy's tokens a text has, where it shows them. */
  readonly countTokens?: (text: string) => number;
  /** What is kept of an episode of this agent; the episode as it is unless told. */
  readonly finished?: (trajectory: Trajectory) => Promise<Trajectory>;
  close(): Promise<void>;
}

export interface AgentPlace {
  readonly command: string;
  readonly world: World;
  /** Id of the world. */
  readonly env: string;
  /** Its name, where the command takes it from elsewhere than --policy. */
  readonly name?: string;
}

export async function chosenAgent(invocation: Invocation, place: AgentPlace): Promise<ChosenAgent> {
  const { command, world, env, name = invocation.text("policy") } = place;
  const scripts = Object.keys(world.demonstrators ?? {});
  if (name === undefined || name === "") {
    throw usageError(
      `"limbeck ${command}" needs --policy: a model folder, bundled, chat, or a scripted agent of ${env} (${scripts.join(", ") || "it has none"}).`,
    );
  }
  const demonstrator = Object.hasOwn(world.demonstrators ?? {}, name) ? world.demonstrators?.[name] : undefined;
  if (demonstrator !== undefined) {
    return { agent: createDemonstratorAgent(demonstrator), close: () => Promise.resolve() };
  }
  return name === "chat" ? await chatAgent(invocation) : await modelAgent(invocation, place, name, scripts);
}

function spoken(invocation: Invocation): { readonly prompting: Prompting; readonly form: ActionForm; system?: string } {
  const system = invocation.text("system");
  return {
    prompting: getPrompting(invocation.text("prompts") ?? "append", () => givenCount(invocation, "history", 4, 0)),
    form: lookUp<ActionForm>(actionForms, invocation.text("form") ?? "plain", "form"),
    ...(system === undefined ? {} : { system }),
  };
}

async function chatAgent(invocation: Invocation): Promise<ChosenAgent> {
  if (invocation.flag("restrict")) throw usageError("--restrict needs a model with tokens; a chat cannot be confined.");
  const { chatServerFrom, createChatPolicy, openChatModel } = await import("../../policy/chat/index.ts");
  const concurrency = givenCount(invocation, "concurrency", 8);
  const policy = createChatPolicy(openChatModel(chatServerFrom(invocation.io.env), { concurrency }));
  const settings = {
    policy,
    ...spoken(invocation),
    ...temperature(invocation),
    answerTokens: givenCount(invocation, "max-tokens", 1_024),
  };
  return {
    agent: createTextAgent(settings),
    prompted: (change) => createTextAgent({ ...settings, prompting: change(settings.prompting) }),
    close: () => policy.close(),
  };
}

async function modelAgent(
  invocation: Invocation,
  { command, env }: AgentPlace,
  name: string,
  scripts: readonly string[],
): Promise<ChosenAgent> {
  const { bundledModel, bundledModelFor } = await import("../../policy/local/bundled-model.ts");
  const folder = name === "bundled" ? bundledModel(bundledModelFor(env)) : resolve(invocation.io.cwd, name);
  const there = await stat(folder).catch(() => undefined);
  if (there?.isDirectory() !== true) {
    const known = ["bundled", "chat", ...scripts].join(", ");
    throw new EngineError("unknown-name", `No policy "${name}": it is no model folder, and none of ${known}.`, {
      details: { policy: name },
    });
  }
  const { requireTokenizer } = await import("../../policy/local/open-model.ts");
  const { createChatDialect } = await import("../../policy/local/chat-dialect.ts");
  const model = await openGiven(invocation, command, { folder });
  try {
    const dialect = await createChatDialect(requireTokenizer(model));
    const settings = {
      policy: model,
      dialect,
      ...spoken(invocation),
      ...temperature(invocation),
      answerTokens: givenCount(invocation, "max-tokens", 64),
      restrict: invocation.flag("restrict"),
    };
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

function temperature(invocation: Invocation): { readonly temperature?: number } {
  if (invocation.text("temperature") === undefined) return {};
  return { temperature: givenNumber(invocation, "temperature", { otherwise: 1, low: 0 }) };
}
