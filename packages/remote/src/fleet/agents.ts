/** From the description of an agent in a job to one that acts on this worker. */
import { EngineError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { Recent } from "limbeck-base/base/recent";
import type { World } from "limbeck-core/env/world";
import type { Policy } from "limbeck-policy/policy/policy";
import type { Dialect } from "limbeck-policy/policy/dialect";
import { agentFor, tellingSkills } from "limbeck-core/update/agent";
import { nestSettings } from "limbeck-core/update/settings";
import type { Agent } from "limbeck-core/walk/mind/agent";
import { agentSettings } from "limbeck-core/walk/mind/promptings";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import { createTextAgent } from "limbeck-core/walk/mind/text-agent";
import { createTokenAgent } from "limbeck-core/walk/mind/token-agent";
import type { AgentSpec, PolicyAddress, PolicyFiles } from "./job.ts";
import type { PolicyCache } from "./policy-cache.ts";
import { isDeepStrictEqual } from "node:util";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";

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
  const samplers = new Recent<LeasedModel>();
  const leaseModel = (policy: PolicyAddress): Promise<LeasedModel> =>
    policy.kind === "files" ? models.lease(policy) : samplers.get(policy.path, () => openSampler(policy, options));
  const chats = new Recent<Awaited<ReturnType<typeof openChat>>>();
  return {
    lease: async (spec, world) => {
      if (spec.kind === "script") return { agent: scripted(spec.name, world), release: () => undefined };
      if (spec.kind === "chat") {
        const policy = await chats.get("chat", () => openChat(options.env));
        return { agent: createTextAgent({ policy, ...agentSettings(spec.speech) }), release: () => undefined };
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
      for (const { model } of await samplers.values()) await model.close();
      for (const chat of await chats.values()) await chat.close();
    },
  };
}

function scripted(name: string, world: World): Agent {
  return createDemonstratorAgent(lookUp(world.demonstrators ?? {}, name, "scripted agent"));
}

function speaking(
  spec: Extract<AgentSpec, { readonly kind: "model" | "training" }>,
  model: { readonly policy: Policy; readonly dialect: LeasedModel["dialect"] },
): Agent {
  if (spec.kind === "training") {
    const { skills } = spec;
    // A job carries the settings of a training as it resolved them.
    const settings = nestSettings(spec.settings);
    return agentFor({ model: model.policy, dialect: model.dialect, settings }, { tell: tellingSkills(skills) });
  }
  return createTokenAgent({ ...model, ...agentSettings(spec.speech), restrict: spec.speech.restrict });
}

async function openChat(env: AgentsOptions["env"]) {
  const { chatServerFrom } = await import("limbeck-policy/policy/chat/server");
  const { createChatPolicy } = await import("limbeck-policy/policy/chat/chat-policy");
  const { openChatModel } = await import("limbeck-policy/policy/chat/chat-model");
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
  const { bundledFolder } = await import("limbeck-policy/policy/local/bundled-model");
  const { createChatDialect } = await import("limbeck-policy/policy/local/chat-dialect");
  const { loadTokenizer } = await import("limbeck-policy/policy/local/load-tokenizer");
  const { readSizes } = await import("limbeck-policy/policy/local/read-sizes");
  const { connectTinker } = await import("limbeck-policy/policy/tinker/client");
  const { openConversation } = await import("limbeck-policy/policy/tinker/conversation");
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

// The model that a worker has open. One version acts at a time: a job of another one waits until the jobs of this
// one are done, and then the weights are exchanged in place, so that compiled graphs stay.

interface LeasedModel {
  readonly model: Policy;
  readonly dialect: Dialect;
  readonly release: () => void;
}

interface Models {
  lease(policy: PolicyFiles): Promise<LeasedModel>;
  close(): Promise<void>;
}

interface Open {
  readonly hash: string;
  readonly model: LocalModel;
  readonly dialect: Dialect;
  readonly tokenizer: string | undefined;
}

export function createModels(cache: PolicyCache, threads: number | undefined): Models {
  let open: Open | undefined;
  let users = 0;
  let exchanging = false;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resume of woken) resume();
  };
  const exchange = async (policy: PolicyFiles): Promise<Open> => {
    const { createChatDialect } = await import("limbeck-policy/policy/local/chat-dialect");
    const { openModel, requireTokenizer } = await import("limbeck-policy/policy/local/open-model");
    const folder = await cache.folderOf(policy);
    const { hash, version } = policy;
    const tokenizer = policy.files["tokenizer.json"];
    const fresh = await openModel(folder, threads === undefined ? {} : { threads });
    const same =
      open !== undefined &&
      open.tokenizer === tokenizer &&
      isDeepStrictEqual(open.model.config, fresh.config) &&
      open.model.weights.flat.length === fresh.weights.flat.length &&
      open.model.adapter === undefined &&
      fresh.adapter === undefined;
    if (same && open !== undefined) {
      open.model.weights.flat.set(fresh.weights.flat);
      open.model.replaced(version);
      await fresh.close();
      return { ...open, hash };
    }
    await open?.model.close();
    open = undefined;
    fresh.replaced(version);
    return { hash, model: fresh, dialect: await createChatDialect(requireTokenizer(fresh)), tokenizer };
  };
  return {
    lease: async (policy) => {
      for (;;) {
        if (!exchanging && open?.hash === policy.hash) break;
        if (exchanging || users > 0) {
          await new Promise<void>((resolve) => waiting.push(resolve));
          continue;
        }
        exchanging = true;
        try {
          open = await exchange(policy);
        } finally {
          exchanging = false;
          wake();
        }
      }
      users += 1;
      return {
        model: open.model,
        dialect: open.dialect,
        release: () => {
          users -= 1;
          if (users === 0) wake();
        },
      };
    },
    close: async () => {
      await open?.model.close();
      open = undefined;
    },
  };
}
