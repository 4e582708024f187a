/** An agent with exact tokens: a policy and its dialect. Nothing that was sampled is ever tokenised again. */
import { EngineError } from "../../base/index.ts";
import type { Policy, Scorer } from "../../policy/index.ts";
import { plainForm } from "./action-form.ts";
import type { Agent } from "./agent.ts";
import { appendOnly } from "./prompter.ts";
import { createMind } from "./token-mind.ts";
import { resumed, type Settings, type TokenAgentOptions } from "./token-state.ts";

/**
 * An agent of a policy that speaks in tokens; its episodes hold the exact ones.
 *
 * @example
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
 *
 * const policy = createScriptedPolicy({ script: () => "look" });
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer), answerTokens: 32 });
 * console.log((await evaluate({ env: "household", policy: agent, tasks: 1, maxSteps: 2 })).meanSteps); // 2
 */
export function createTokenAgent(options: TokenAgentOptions): Agent {
  const { policy, prompting = appendOnly, form = plainForm, answerTokens = 64 } = options;
  if (!(Number.isInteger(answerTokens) && answerTokens >= 1)) {
    throw new EngineError("bad-option", `answerTokens is ${answerTokens}; it must be a whole number of at least 1.`);
  }
  const settings: Settings = { ...options, prompting, form, answerTokens, sampling: samplingOf(options) };
  return {
    get ref() {
      return policy.ref;
    },
    exact: true,
    answerTokens,
    ...(policy.concurrency === undefined ? {} : { concurrency: policy.concurrency }),
    ...(policy.score === undefined ? {} : { scorer: policy as Policy & Scorer }),
    ...(policy.embedding === undefined ? {} : { embedding: policy.embedding.bind(policy) }),
    ...(policy.said === undefined ? {} : { said: policy.said }),
    ...(policy.rough === undefined
      ? {}
      : { rough: async () => createTokenAgent({ ...options, policy: (await policy.rough?.()) ?? policy }) }),
    begin: (task, seed) =>
      createMind(settings, {
        prompter: prompting(task, form),
        conversation: policy.open({ seed }),
        seed,
        recorders: [],
        answer: undefined,
        marks: new Map(),
      }),
    resume: (task, seed, past) => createMind(settings, resumed(settings, task, seed, past)),
  };
}

function samplingOf({ temperature, topK, topP, minP }: TokenAgentOptions): Settings["sampling"] {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topK === undefined ? {} : { topK }),
    ...(topP === undefined ? {} : { topP }),
    ...(minP === undefined ? {} : { minP }),
  };
}
