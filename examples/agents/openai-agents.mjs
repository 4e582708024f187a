/**
 * A stock keeper with the OpenAI Agents SDK. It knows nothing of training: address and key come from OPENAI_BASE_URL and OPENAI_API_KEY.
 *
 *     npm install @openai/agents zod
 *     limbeck agent run -- node openai-agents.mjs "How many lamps are there?"
 *
 * The second word says how it asks: whole (the default), stream, object (the answer as JSON), or chat (chat completions in the
 * place of OpenAI's responses).
 */
import { Agent, run, setOpenAIAPI, tool } from "@openai/agents";
import { z } from "zod";

const [goal = "", way = "whole"] = process.argv.slice(2);
if (way === "chat") setOpenAIAPI("chat_completions");
const stock = tool({
  name: "stock",
  description: "How many of an item there are.",
  parameters: z.object({ item: z.string() }),
  execute: ({ item }) => `${item.length} of ${item}`,
});
const agent = new Agent({
  name: "Stock keeper",
  model: "gpt-5-mini",
  instructions: "You answer questions about stock.",
  tools: [stock],
  ...(way === "object" ? { outputType: z.object({ item: z.string(), count: z.number() }) } : {}),
});

if (way === "stream") {
  const result = await run(agent, goal, { stream: true });
  for await (const part of result.toTextStream()) process.stdout.write(part);
  await result.completed;
  process.stdout.write("\n");
} else {
  const { finalOutput } = await run(agent, goal);
  process.stdout.write(`${way === "object" ? `${finalOutput.count} of ${finalOutput.item}` : finalOutput}\n`);
}
