/** A chat model as a policy for the loop: conversations of messages that can be forked, with a seed of their own. */
import { createRng, restoreRng, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { replyOf } from "limbeck-recorder/wire/shape";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { refuseBusy } from "../conversation-guards.ts";
import type { TextConversation, TextPolicy, TextSampled, TextSampleOptions, TextScorer } from "../text-policy.ts";
import type { ChatCompletion, ChatModel } from "./chat-model.ts";

export interface ChatPolicyOptions {
  /** Default: the model's name. */
  readonly name?: string;
  /** Stands before every conversation. */
  readonly system?: string;
  readonly version?: number;
  /** Asks for the log-probability of each token; servers that do not know them leave them out. Default: no. */
  readonly logprobs?: boolean;
  /** Sends a seed with every reply, for servers that can repeat themselves. Default: yes. */
  readonly sendSeed?: boolean;
}

interface Talk {
  rng: Rng;
  messages: Message[];
  busy: boolean;
  readonly closed: boolean;
  /** Fires when the conversation is closed: a reply without a reader should not cost anything. */
  readonly closing: AbortController;
}

/** Seeds of requests are below this: the largest that servers with 32-bit integers take. */
const SEEDS = 2 ** 31;

/**
 * A chat model as a policy.
 *
 * @example
 * import { openChatModel } from "limbeck/policy";
 *
 * const content = [{ type: "text", text: "look" }];
 * const doGenerate = () => Promise.resolve({ content, finishReason: "stop", usage: {}, warnings: [] });
 * const policy = createChatPolicy(openChatModel({ specificationVersion: "v2", provider: "own", modelId: "parrot", doGenerate }));
 * const { trajectories } = await rollout({ env: "household", policy, tasks: 1, group: 1, maxSteps: 2 });
 * console.log(trajectories[0]?.steps.map(({ action }) => action)); // [ "look", "look" ]
 */
export function createChatPolicy(model: ChatModel, options: ChatPolicyOptions = {}): TextPolicy & TextScorer {
  const { name = model.model, system, version = 0 } = options;
  const open = new Set<Talk>();

  const begin = (rng: Rng, messages: Message[]): TextConversation => {
    const closing = new AbortController();
    const talk: Talk = {
      rng,
      messages,
      busy: false,
      closing,
      get closed() {
        return closing.signal.aborted;
      },
    };
    open.add(talk);
    return {
      get messages() {
        return talk.messages.slice();
      },
      extend: (more) => {
        refuseBusy(talk);
        talk.messages.push(...more);
      },
      sample: async (sampling) => await reply(model, talk, sampling, { ...options, version }),
      fork: (label) => {
        refuseBusy(talk);
        return begin(talk.rng.split(label), talk.messages.slice());
      },
      close: () => {
        open.delete(talk);
        talk.closing.abort();
      },
    };
  };

  return {
    ref: { name, version, model: model.model },
    open: ({ seed = 0 } = {}) =>
      begin(createRng(seed), system === undefined ? [] : [{ role: "system", content: system }]),
    close: () => {
      for (const talk of open) talk.closing.abort();
      open.clear();
      return Promise.resolve();
    },
    scoreText: (rows, scoring) => model.scoreText(rows, scoring),
  };
}

/** A reply that fails or is cancelled leaves the conversation as it was, its randomness included. */
async function reply(
  model: ChatModel,
  talk: Talk,
  { signal, ...sampling }: TextSampleOptions,
  { logprobs, sendSeed = true, version }: ChatPolicyOptions & { readonly version: number },
): Promise<TextSampled> {
  refuseBusy(talk);
  if (talk.messages.every(({ role }) => role === "system")) {
    throw new EngineError(
      "empty-prompt",
      "Nothing to answer: extend the conversation with at least one message first.",
    );
  }
  const before = talk.rng.save();
  talk.busy = true;
  try {
    const seed = talk.rng.int(SEEDS);
    const completion = await model.complete(talk.messages.slice(), {
      ...sampling,
      ...(sendSeed ? { seed } : {}),
      ...(logprobs === true ? { logprobs } : {}),
      signal: signal === undefined ? talk.closing.signal : AbortSignal.any([signal, talk.closing.signal]),
    });
    talk.messages.push(replyOf(completion.text, completion.reasoning, completion.toolCalls));
    return sampledOf(completion, version);
  } catch (error) {
    talk.rng = restoreRng(before);
    throw error;
  } finally {
    talk.busy = false;
  }
}

function sampledOf(completion: ChatCompletion, version: number): TextSampled {
  const { text, reasoning, toolCalls, usage, logprobs, finishReason } = completion;
  return {
    text,
    ...withoutUndefined({ reasoning, logprobs }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    usage,
    version,
    ending: finishReason,
  };
}
