/** A text model that a search may ask: a judge, a critic, the policy itself as its own critic. */
import type { TextPolicy } from "limbeck-policy/policy/text-policy";
import type { Usage } from "limbeck-base/trajectory/trajectory";

export interface AskerOptions {
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  /** Equal questions with equal seeds get equal answers, as far as the model can promise it. */
  readonly seed: string;
  /** Default: a critique. */
  readonly kind?: QuestionKind;
  /** What the agent was asked for. */
  readonly goal?: string;
}

/** What becomes of the answer: models read plans and reflections; a critique is read as a number or a choice. */
export type QuestionKind = "plan" | "reflection" | "critique";

export type Asker = (
  prompt: string,
  options: AskerOptions,
) => Promise<{ readonly text: string; readonly usage?: Usage }>;

/**
 * A chat model as an asker; each question is a conversation of its own.
 *
 * @example
 * import { createChatPolicy, openChatModel } from "limbeck/policy";
 *
 * const content = [{ type: "text", text: "7" }];
 * const doGenerate = () => Promise.resolve({ content, finishReason: "stop", usage: {} });
 * const ask = createAsker(createChatPolicy(openChatModel({ specificationVersion: "v2", provider: "own", modelId: "judge", doGenerate })));
 * console.log((await ask("From 0 to 10?", { maxTokens: 4, signal: new AbortController().signal, seed: "1" })).text); // 7
 */
export function createAsker(policy: TextPolicy, settings: { readonly temperature?: number } = {}): Asker {
  return async (prompt, { maxTokens, signal, seed }) => {
    const conversation = policy.open({ seed });
    try {
      conversation.extend([{ role: "user", content: prompt }]);
      const { text, usage } = await conversation.sample({ maxTokens, signal, ...settings });
      return { text, usage };
    } finally {
      conversation.close();
    }
  };
}

export interface OpenedAsker {
  readonly asker: Asker;
  close(): Promise<void>;
}

/**
 * The chat model of the environment (LIMBECK_CHAT_…) as an asker; the caller closes it.
 *
 * @example
 * const { asker, close } = await openChatAsker({ LIMBECK_CHAT_BASE_URL: "http://127.0.0.1:8000/v1", LIMBECK_CHAT_MODEL: "judge" });
 * console.log(typeof asker); // function
 * await close();
 */
export async function openChatAsker(environment: Readonly<Record<string, string | undefined>>): Promise<OpenedAsker> {
  const { chatServerFrom } = await import("limbeck-policy/policy/chat/server");
  const { createChatPolicy } = await import("limbeck-policy/policy/chat/chat-policy");
  const { openChatModel } = await import("limbeck-policy/policy/chat/chat-model");
  const policy = createChatPolicy(openChatModel(chatServerFrom(environment), { concurrency: 8 }));
  return { asker: createAsker(policy), close: () => policy.close() };
}

/** No tokenizer in use makes more tokens of a text than it has bytes; a message's frame is a few more. */
export function tokensAtMost(text: string): number {
  return Buffer.byteLength(text) + 16;
}
