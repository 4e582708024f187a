/**
 * A stock keeper with Mastra. It knows nothing of training: address and key come from OPENAI_BASE_URL and OPENAI_API_KEY.
 *
 *     npm install @mastra/core zod
 *     limbeck agent run -- node mastra.mjs "How many lamps are there?"
 *
 * The second word says how it asks: whole (the default), stream, object (the answer as JSON), or chat (chat completions in the
 * place of OpenAI's responses).
 */
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";

const [goal = "", way = "whole"] = process.argv.slice(2);
const { OPENAI_BASE_URL: url, OPENAI_API_KEY: apiKey } = process.env;
const stock = createTool({
  id: "stock",
  description: "How many of an item there are.",
  inputSchema: z.object({ item: z.string() }),
  execute: ({ item }) => Promise.resolve(`${item.length} of ${item}`),
});
const agent = new Agent({
  id: "stock-keeper",
  name: "Stock keeper",
  instructions: "You answer questions about stock.",
  model: way === "chat" ? { id: "own/any", url, apiKey } : "openai/gpt-5-mini",
  tools: { stock },
});

if (way === "stream") {
  for await (const part of (await agent.stream(goal, { maxSteps: 5 })).textStream) process.stdout.write(part);
  process.stdout.write("\n");
} else if (way === "object") {
  const schema = z.object({ item: z.string(), count: z.number() });
  const { object } = await agent.generate(goal, { maxSteps: 5, structuredOutput: { schema } });
  process.stdout.write(`${object.count} of ${object.item}\n`);
} else {
  process.stdout.write(`${(await agent.generate(goal, { maxSteps: 5 })).text}\n`);
}
