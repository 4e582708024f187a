/**
 * A stand-in for a model, so that the agent runs without a key: it looks every other order up and guesses the rest. With
 * a provider you do not need it: `const model = openai("…")` in run.ts.
 */
import type { LanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";

type Answer = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;

const GUESS = 500;

export function createStubModel(): LanguageModel {
  let calls = 0;
  const say = (content: Answer["content"], reason: "stop" | "tool-calls"): Answer => ({
    content,
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  });
  const call = (toolName: string, input: object): Answer => {
    calls += 1;
    const toolCallId = `call-${calls}`;
    return say([{ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) }], "tool-calls");
  };
  return new MockLanguageModelV3({
    doGenerate: ({ prompt }) => {
      const text = JSON.stringify(prompt);
      const order = /Refund order (\w+)/.exec(text)?.[1] ?? "";
      const price = /cost (\d+) cents/.exec(text)?.[1];
      const careful = Number(order.slice(1)) % 2 === 0;
      if (text.includes('"toolName":"refund"')) {
        return Promise.resolve(say([{ type: "text", text: "The money is on its way." }], "stop"));
      }
      if (careful && price === undefined) return Promise.resolve(call("lookup", { order }));
      return Promise.resolve(call("refund", { order, cents: Number(price ?? GUESS) }));
    },
  });
}
