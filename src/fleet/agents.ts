/** From the description of an agent in a job to one that acts on this worker. */
import { EngineError, lookUp } from "../base/index.ts";
import type { World } from "../env/index.ts";
import type { Policy } from "../policy/index.ts";
import { agentFor, tellingSkills } from "../update/agent.ts";
import { nestSettings } from "../update/settings.ts";
import {
  type Agent,
  agentSettings,
  createDemonstratorAgent,
  createTextAgent,
  createTokenAgent,
} from "../walk/index.ts";
import type { AgentSpec, PolicyAddress } from "./job.ts";
import { createModels, type LeasedModel } from "./models.ts";
import type { PolicyCache } from "./policy-cache.ts";

export interface LeasedAgent {
  readonly agent: Agent;
  readonly release: () => void;
}

export interface Agents {
  lease(spec: AgentSpec, world: World): Promise<LeasedAgent>;
  close(): Promise<void>;
}

export interface AgentsOptions extends SamplerOptions {
  readonly cache: PolicyCache;
  /** Threads of the engine. Default: its own choice. */
  readonly threads?: number;
  /** The chat model and keys of this worker. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createAgents(options: AgentsOptions): Agents {
  const models = createModels(options.cache, options.threads);
  const samplers = new Map<string, Promise<LeasedModel>>();
  const leaseModel = async (policy: PolicyAddress): Promise<LeasedModel> => {
    if (policy.kind === "files") return await models.lease(policy);
    const known = samplers.get(policy.path) ?? openSampler(policy, options);
    samplers.set(policy.path, known);
    known.catch(() => samplers.delete(policy.path));
    return await known;
  };
  let chat: Promise<Awaited<ReturnType<typeof openChat>>> | undefined;
  return {
    lease: async (spec, world) => {
      if (spec.kind === "script") return { agent: scripted(spec.name, world), release: () => undefined };
      if (spec.kind === "chat") {
        chat ??= openChat(options.env);
        chat.catch(() => (chat = undefined));
        return {
          agent: createTextAgent({ policy: await chat, ...agentSettings(spec.speech) }),
          release: () => undefined,
        };
      }
      const { model, dialect, release } = await leaseModel(spec.policy);
      try {
        return { agent: speaking(spec, { policy: model, dialect }), release };
      } catch (error) {
        release();
        throw error;
      }
    },
    close: async () => {
      await models.close();
      const opened = await Promise.allSettled(samplers.values());
      for (const one of opened) if (one.status === "fulfilled") await one.value.model.close();
      // What did not open needs no closing.
      await (await chat?.catch(() => undefined))?.close();
    },
  };
}

function scripted(name: string, world: World): Agent {
  return createDemonstratorAgent(lookUp(world.demonstrators ?? {}, name, "scripted agent"));
}

function speaking(
  spec: Extract<AgentSpec, { readonly kind: "model" | "training" }>,
  speaker: { readonly policy: Policy; readonly dialect: LeasedModel["dialect"] },
): Agent {
  if (spec.kind === "training") {
    const { skills } = spec;
    // A job carries the settings of a training as it resolved them.
    const settings = nestSettings(spec.settings);
    return agentFor({ model: speaker.policy, dialect: speaker.dialect, settings }, { tell: tellingSkills(skills) });
  }
  return createTokenAgent({ ...speaker, ...agentSettings(spec.speech), restrict: spec.speech.restrict });
}

async function openChat(env: AgentsOptions["env"]) {
  const { chatServerFrom, createChatPolicy, openChatModel } = await import("../policy/chat/index.ts");
  try {
    return createChatPolicy(openChatModel(chatServerFrom(env), {}));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("needs-unmet", `The job wants a chat model, and this worker has none: ${why}`, { cause });
  }
}

// A version of a policy that a Tinker server samples from: the worker needs no weights, only the tokenizer.

interface SamplerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
}

async function openSampler(
  policy: Extract<PolicyAddress, { readonly kind: "sampler" }>,
  { env }: SamplerOptions,
): Promise<LeasedModel> {
  const { bundledFolder } = await import("../policy/local/bundled-model.ts");
  const { createChatDialect, loadTokenizer } = await import("../policy/local/index.ts");
  const { readSizes } = await import("../policy/local/read-sizes.ts");
  const { connectTinker } = await import("../policy/tinker/index.ts");
  const { openConversation } = await import("../policy/tinker/conversation.ts");
  const folder = bundledFolder(policy.tokenizer) ?? policy.tokenizer;
  const tokenizer = await loadTokenizer(folder);
  const { vocabularySize, contextLength } = await readSizes(folder, tokenizer);
  const dialect = await createChatDialect(tokenizer);
  const client = await connectTinker({ url: policy.url, ...keyFor(policy.url, env) });
  const samples = await client.openSamples({ path: policy.path });
  const speech = {
    vocabularySize,
    contextLength,
    extension: client.profile.extension,
    sampler: () => Promise.resolve({ client: samples, version: policy.version }),
  };
  const model: Policy = {
    ref: { name: policy.path, version: policy.version },
    open: (conversation) => openConversation(speech, conversation),
    close: () => {
      client.close();
      return Promise.resolve();
    },
  };
  return { model, dialect, release: () => undefined };
}

/** The address comes from the job: the key goes only to the trainer of this worker's own settings. */
function keyFor(url: string, env: SamplerOptions["env"]): { readonly apiKey?: string } {
  const [apiKey, known] = [env["TINKER_API_KEY"], env["TINKER_BASE_URL"]];
  const same = known !== undefined && URL.canParse(known) && new URL(known).origin === new URL(url).origin;
  return apiKey === undefined || !same ? {} : { apiKey };
}
