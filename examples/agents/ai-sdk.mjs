/**
 * A stock keeper with the AI SDK 5, 6 or 7. It knows nothing of training: address and key come from OPENAI_BASE_URL and OPENAI_API_KEY.
 *
 *     npm install ai @ai-sdk/openai zod
 *     limbeck agent run -- node ai-sdk.mjs "How many lamps are there?"
 *
 * The second word says how it asks: whole (the default), stream, object (the answer as JSON), or chat (chat completions in the
 * place of OpenAI's responses).
 */
import { openai } from "@ai-sdk/openai";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const [goal = "", way = "whole"] = process.argv.slice(2);
const stock = tool({
  description: "How many of an item there are.",
  inputSchema: z.object({ item: z.string() }),
  execute: ({ item }) => `${item.length} of ${item}`,
});
const agent = {
  model: way === "chat" ? openai.chat("gpt-5-mini") : openai("gpt-5-mini"),
  system: "You answer questions about stock.",
  prompt: goal,
  tools: { stock },
  stopWhen: stepCountIs(5),
};

if (way === "stream") {
  for await (const part of streamText(agent).textStream) process.stdout.write(part);
  process.stdout.write("\n");
} else if (way === "object") {
  const answer = Output.object({ schema: z.object({ item: z.string(), count: z.number() }) });
  // Version 5 calls both by another name.
  const result = await generateText({ ...agent, output: answer, experimental_output: answer });
  const { item, count } = result.output ?? result.experimental_output;
  process.stdout.write(`${count} of ${item}\n`);
} else {
  process.stdout.write(`${(await generateText(agent)).text}\n`);
}
