/** Who acts: the agent that the options of a command describe. */
import type { AttentionKind } from "../../policy/local/quantised/kinds.ts";
import { resolve } from "node:path";
import type { World } from "../../env/index.ts";
import { openAgent, type OpenedAgent, type SpeechOptions } from "../../run/index.ts";
import { type NamedPolicy, findPolicy } from "../../run/agent.ts";
import type { GuideChoice } from "../../run/guide.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { givenCache, givenDrafting, givenWeights, maybeCount, maybeNumber } from "../model/open-given.ts";
import { usageError } from "../parse.ts";

export interface AgentPlace {
  readonly command: string;
  readonly world: World;
  /** Id of the world. */
  readonly env: string;
  /** Its name, where the command takes it from elsewhere than --policy. */
  readonly name?: string;
}

export interface ChosenAgent extends OpenedAgent {
  /** What is kept of an episode of this agent. Default: the episode as it is. */
  readonly finished?: (trajectory: Trajectory) => Promise<Trajectory>;
}

export async function chosenAgent(invocation: Invocation, place: AgentPlace): Promise<ChosenAgent> {
  const policy = nameOf(invocation, place);
  const [concurrency, threads] = [maybeCount(invocation, "concurrency"), maybeCount(invocation, "threads")];
  const engine = {
    concurrency,
    threads,
    cores: maybeCount(invocation, "cores"),
    ...givenDrafting(invocation),
    weights: givenWeights(invocation),
    cache: givenCache(invocation),
    attention: invocation.text("attention") as AttentionKind | undefined,
    guide: givenGuide(invocation),
    say: (sentence: string) => invocation.note(sentence),
  };
  const given = { policy, ...givenSpeech(invocation), ...engine, environment: invocation.io.env };
  return await openAgent(given, placeOf(invocation, place));
}

/** The same in words, for those who play elsewhere. */
export async function namedPolicy(invocation: Invocation, place: AgentPlace): Promise<NamedPolicy> {
  return await findPolicy(nameOf(invocation, place), placeOf(invocation, place), givenSpeech(invocation));
}

function placeOf({ io }: Invocation, { env, world }: AgentPlace): Parameters<typeof findPolicy>[1] {
  return { id: env, demonstrators: world.demonstrators ?? {}, cwd: io.cwd };
}

function nameOf(invocation: Invocation, { command, world, env, name = invocation.text("policy") }: AgentPlace): string {
  if (name !== undefined && name !== "") return name;
  const scripts = Object.keys(world.demonstrators ?? {});
  throw usageError(
    `"limbeck ${command}" needs --policy: a model folder, bundled, chat, or a scripted agent of ${env} (${scripts.join(", ") || "it has none"}).`,
  );
}

function givenGuide(invocation: Invocation): GuideChoice | undefined {
  const folder = invocation.text("guide");
  if (folder === undefined) return undefined;
  return {
    folder: resolve(invocation.io.cwd, folder),
    beta: maybeNumber(invocation, "guide-beta", { low: 0 }),
    draws: maybeCount(invocation, "guide-draws"),
  };
}

function givenSpeech(invocation: Invocation): SpeechOptions {
  return {
    prompts: invocation.text("prompts"),
    history: maybeCount(invocation, "history", 0),
    form: invocation.text("form"),
    answerTokens: maybeCount(invocation, "max-tokens"),
    restrict: invocation.flag("restrict"),
    system: invocation.text("system"),
    temperature: maybeNumber(invocation, "temperature", { low: 0 }),
  };
}
