/** Who acts: from a name, a policy or an agent to an agent that plays. */
import { checkOptions } from "limbeck-base/base/options";
import { AGENT_CHECKS } from "./agent-checks.ts";
import { EngineError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { withoutUndefined } from "limbeck-base/base/fields";
import { hasModuleEnding } from "limbeck-base/base/parts/part";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Policy, Scorer } from "limbeck-policy/policy/policy";
import type { TextPolicy } from "limbeck-policy/policy/text-policy";
import { attentionMetrics, draftMetrics } from "limbeck-policy/policy/local/sampler-options";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import type { DraftChoice } from "limbeck-policy/policy/local/draft/kinds";
import type { AttentionKind, CacheKind, WeightKind } from "limbeck-policy/policy/local/quantised/kinds";
import type { GuideChoice } from "./guide.ts";
import { isModelPlace } from "limbeck-policy/policy/local/is-gguf";
import { agentSettings, type Speech } from "limbeck-core/walk/mind/promptings";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import { createTextAgent } from "limbeck-core/walk/mind/text-agent";
import { createTokenAgent } from "limbeck-core/walk/mind/token-agent";
import type { Agent } from "limbeck-core/walk/mind/agent";
import type { AgentDefinition } from "limbeck-core/walk/mind/define-agent";
import type { Prompting } from "limbeck-core/walk/mind/prompter";
import { bundledModel, bundledNames, startingModel } from "limbeck-policy/policy/local/bundled-model";
import { bundledStart, typedModel } from "limbeck-policy/policy/starts";

/** A name, or the part itself. */
export type PolicyPart = string | (Policy & Partial<Scorer>) | TextPolicy | Agent;

/** How the policy is spoken to and how it answers. */
export interface SpeechOptions {
  /** "append" (one growing conversation), "rebuilt" (each step), "memory" or "context". Default: "append". */
  readonly prompts?: string | undefined;
  /** Turns shown in rebuilt prompts. Default: 4. */
  readonly history?: number | undefined;
  /** "plain" or "tagged" answers. Default: "plain". */
  readonly form?: string | undefined;
  /** Most tokens of one answer. Default: 64, or what the world's bundled model needs; 1,024 for a chat. */
  readonly answerTokens?: number | undefined;
  /** Confines answers to the actions the world lists; models with tokens only. Default: no. */
  readonly restrict?: boolean | undefined;
  /** System message. Default: none. */
  readonly system?: string | undefined;
  /** Default: 1; a chat's own. */
  readonly temperature?: number | undefined;
}

export interface AgentOptions extends SpeechOptions, DraftChoice {
  /**
   * Who acts: the folder or GGUF file of a model, "bundled", "chat", a scripted agent of the world, or a policy or an agent of your
   * own. Default: "bundled", the small model that was made for the world.
   */
  readonly policy?: PolicyPart;
  /**
   * How texts become tokens, for a policy of your own: `plainDialect(tokenizer)`, `await createChatDialect(tokenizer)`.
   * Default: by the policy's own tokenizer. A policy that speaks in messages needs none.
   */
  readonly dialect?: Dialect;
  /** Calls of a chat model at the same time. Default: 8. */
  readonly concurrency?: number | undefined;
  /** Threads of the engine. Default: its own choice. */
  readonly threads?: number | undefined;
  /** Copies of a small model that share the work, one core each. Default: one copy on all threads. */
  readonly cores?: number | undefined;
  /** A model that leads the policy: tokens are drawn from both. Default: none. */
  readonly guide?: GuideChoice | undefined;
  /** How the weights of a model in this process are kept: float32, int8, int4. Default: "auto", int8 from 250 million parameters on. */
  readonly weights?: WeightKind | "auto" | undefined;
  /** How keys and values of what a model in this process has read are kept; "float16" takes half of the memory. Default: "float32". */
  readonly cache?: CacheKind | undefined;
  /** How words look back in a model with quantised weights: "two-level" scores few keys. Default: "full". */
  readonly attention?: AttentionKind | undefined;
  /** Gets a sentence on how weights are kept, where that is not float32. */
  readonly say?: ((sentence: string) => void) | undefined;
  /** Where the address and the key of a chat model are looked for. Default: the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The world that a name of a policy speaks of. */
export interface PolicyPlace {
  /** Id of the world. */
  readonly id: string;
  /** Its scripted agents. */
  readonly demonstrators?: Readonly<Record<string, Demonstrator>>;
  /** Where folders are looked for. Default: the folder of the process. */
  readonly cwd?: string;
}

export interface OpenedAgent {
  readonly agent: Agent;
  /** The same policy, prompted in another way; missing for scripts, which read no prompts, and for agents. */
  readonly prompted?: (change: (prompting: Prompting) => Prompting) => Agent;
  /** How many of the policy's tokens a text has, where it shows them. */
  readonly countTokens?: (text: string) => number;
  /** What speaking has cost, by metric, where tokens are guessed. */
  readonly metrics?: () => Readonly<Record<string, number>>;
  /** Frees what was opened here; a policy that was given stays open. */
  close(): Promise<void>;
}

/** What a name stands for. */
export type NamedPolicy =
  | { readonly kind: "script"; readonly name: string }
  | { readonly kind: "chat"; readonly speech: Speech }
  | { readonly kind: "model"; readonly folder: string; readonly speech: Speech };

const MODEL_TOKENS = 64;
const CHAT_TOKENS = 1_024;

export async function findPolicy(name: string, place: PolicyPlace, speech: SpeechOptions): Promise<NamedPolicy> {
  if (hasModuleEnding(name)) {
    throw new EngineError("needs-unmet", `The agent of "${name}" plays in this process only. Leave out --fleet.`);
  }
  const scripts = Object.keys(place.demonstrators ?? {});
  if (scripts.includes(name)) return { kind: "script", name };
  if (name === "chat") return { kind: "chat", speech: speechOf(speech, CHAT_TOKENS) };
  const folder = startingModel(place.id, name === "bundled" ? undefined : typedModel(name, place.cwd ?? "."));
  if (await isModelPlace(folder)) {
    return { kind: "model", folder, speech: speechOf(speech, roomIn(place.id)) };
  }
  const known = ["bundled", "chat", ...scripts].join(", ");
  throw new EngineError(
    "unknown-name",
    `No policy "${name}": it is no model folder or GGUF file, and none of ${known}.`,
    {
      details: { policy: name },
    },
  );
}

/** The longest answer of a world's bundled model fits. */
function roomIn(world: string): number {
  return Math.max(MODEL_TOKENS, bundledStart(world)?.answerTokens ?? 0);
}

function speechOf(given: SpeechOptions, answerTokens: number): Speech {
  const { prompts = "append", history = 4, form = "plain", restrict = false, system, temperature } = given;
  const room = given.answerTokens ?? answerTokens;
  return withoutUndefined({ prompts, history, form, answerTokens: room, restrict, system, temperature });
}

/**
 * Opens who acts in a world.
 *
 * @example
 * const { agent, close } = await openAgent({ policy: "bundled", temperature: 0 }, { id: "household" });
 * console.log(agent.ref.name);
 * await close();
 */
export async function openAgent(options: AgentOptions, place: PolicyPlace): Promise<OpenedAgent> {
  checkOptions("openAgent", options, AGENT_CHECKS);
  const { policy = "bundled" } = options;
  if (typeof policy !== "string") return await givenAgent(policy, options, place);
  if (hasModuleEnding(policy)) return await fileAgent(policy, options, place);
  const named = await findPolicy(policy, place, options);
  if (named.kind === "chat") return await chatAgent(named.speech, options);
  if (named.kind === "model")
    return await modelAgent(named.folder, named.speech, { ...options, ...(await drafterOf(options, place)) });
  const demonstrator = lookUp(place.demonstrators ?? {}, named.name, "scripted agent");
  return { agent: createDemonstratorAgent(demonstrator), close: () => Promise.resolve() };
}

/** The draft model by its name: a folder, a GGUF file, or a bundled model. */
async function drafterOf({ draftModel: name }: AgentOptions, { id, cwd = "." }: PolicyPlace): Promise<DraftChoice> {
  if (name === undefined) return {};
  const folder = startingModel(id, typedModel(name, cwd));
  if (await isModelPlace(folder)) return { draftModel: folder };
  const bundled = bundledNames.find((known) => known === name);
  if (bundled !== undefined) return { draftModel: bundledModel(bundled) };
  throw new EngineError(
    "unknown-name",
    `No draft model "${name}": it is no model folder or GGUF file, and no bundled model (${bundledNames.join(", ")}).`,
  );
}

/** An agent of a file that was loaded before. */
async function fileAgent(name: string, options: AgentOptions, place: PolicyPlace): Promise<OpenedAgent> {
  const made = await lookUp<AgentDefinition>({}, name, "agent").create();
  if ("start" in made) return { agent: createDemonstratorAgent(made), close: () => Promise.resolve() };
  return await givenAgent(made, options, place);
}

async function givenAgent(
  policy: Exclude<PolicyPart, string>,
  options: AgentOptions,
  { id }: PolicyPlace,
): Promise<OpenedAgent> {
  const close = (): Promise<void> => Promise.resolve();
  if ("begin" in policy) return { agent: policy, close };
  if (speaksInMessages(policy)) return textAgent(policy, speechOf(options, CHAT_TOKENS), close);
  const dialect = options.dialect ?? (await ownDialect(policy));
  return tokenAgent(policy, dialect, speechOf(options, roomIn(id)), close);
}

/** The two kinds differ in what their conversations hold. */
function speaksInMessages(policy: Policy | TextPolicy): policy is TextPolicy {
  const conversation = policy.open();
  try {
    return "messages" in conversation;
  } finally {
    conversation.close();
  }
}

/** By the tokenizer that the policy carries: that of a model's folder, or that of a script. */
async function ownDialect(policy: Policy & { readonly tokenizer?: unknown }): Promise<Dialect> {
  const { tokenizer } = policy;
  if (typeof tokenizer === "object" && tokenizer !== null) {
    if ("endToken" in tokenizer) {
      return (await import("limbeck-policy/policy/tabular/script-tokenizer")).plainDialect(tokenizer as never);
    }
    if ("specials" in tokenizer) {
      return await (await import("limbeck-policy/policy/local/chat-dialect")).createChatDialect(tokenizer as never);
    }
  }
  throw new EngineError(
    "needs-unmet",
    `The policy "${policy.ref.name}" has no tokenizer, so nobody knows how texts become its tokens. Give dialect: plainDialect(tokenizer), or await createChatDialect(tokenizer).`,
  );
}

async function chatAgent(speech: Speech, { concurrency = 8, environment = process.env }: AgentOptions) {
  const { chatServerFrom } = await import("limbeck-policy/policy/chat/server");
  const { createChatPolicy } = await import("limbeck-policy/policy/chat/chat-policy");
  const { openChatModel } = await import("limbeck-policy/policy/chat/chat-model");
  const policy = createChatPolicy(openChatModel(chatServerFrom(environment), { concurrency }));
  return textAgent(policy, speech, () => policy.close());
}

async function modelAgent(
  folder: string,
  speech: Speech,
  options: Pick<
    AgentOptions,
    "threads" | "cores" | "weights" | "cache" | "attention" | "say" | "guide" | keyof DraftChoice
  >,
): Promise<OpenedAgent> {
  const { openModel, requireTokenizer } = await import("limbeck-policy/policy/local/open-model");
  const { createChatDialect } = await import("limbeck-policy/policy/local/chat-dialect");
  const { threads, cores, draft, draftTree, draftNodes, draftModel, draftContext, cache, attention, say } = options;
  const drafting = { draft, draftTree, draftNodes, draftModel, draftContext };
  const given = { threads, cores, ...drafting, weights: options.weights ?? "auto", cache, attention, say };
  const model = await openModel(folder, withoutUndefined(given));
  try {
    if (options.guide !== undefined) return await ledAgent(model, speech, options.guide, threads);
    const agent = tokenAgent(model, await createChatDialect(requireTokenizer(model)), speech, () => model.close());
    const guesses = draft !== undefined && draft !== "off";
    const metrics = (): Record<string, number> => ({
      ...(guesses ? draftMetrics(model.decoded) : {}),
      ...attentionMetrics(model.decoded),
    });
    return { ...agent, metrics };
  } catch (error) {
    await model.close();
    throw error;
  }
}

async function ledAgent(
  model: LocalModel,
  speech: Speech,
  guide: GuideChoice,
  threads: number | undefined,
): Promise<OpenedAgent> {
  const { requireTokenizer } = await import("limbeck-policy/policy/local/open-model");
  const { createChatDialect } = await import("limbeck-policy/policy/local/chat-dialect");
  const led = await (await import("./guide.ts")).ledBy(model, guide, { threads });
  const { policy, tokens } = led;
  const both = async (): Promise<void> => void (await Promise.all([led.close(), model.close()]));
  const agent = tokenAgent(policy, await createChatDialect(requireTokenizer(model)), speech, both);
  return { ...agent, metrics: () => ({ "guide/tokens": tokens() }) };
}

function textAgent(policy: TextPolicy, speech: Speech, close: () => Promise<void>): OpenedAgent {
  if (speech.restrict) {
    throw new EngineError("usage", "restrict needs a model with tokens; a chat cannot be confined. Leave it out.");
  }
  const settings = { policy, ...agentSettings(speech) };
  return {
    agent: createTextAgent(settings),
    prompted: (change) => createTextAgent({ ...settings, prompting: change(settings.prompting) }),
    close,
  };
}

function tokenAgent(
  policy: Policy & Partial<Scorer>,
  dialect: Dialect,
  speech: Speech,
  close: () => Promise<void>,
): OpenedAgent {
  const settings = { policy, dialect, ...agentSettings(speech), restrict: speech.restrict };
  // A template that rewrites earlier turns is refused here, and not by every episode; fresh prompts need no turns.
  if (!["rebuilt", "memory"].includes(speech.prompts)) dialect.turn("");
  const frame = dialect.opening("").length;
  return {
    agent: createTokenAgent(settings),
    prompted: (change) => createTokenAgent({ ...settings, prompting: change(settings.prompting) }),
    countTokens: (text) => dialect.opening(text).length - frame,
    close,
  };
}
