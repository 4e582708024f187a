/** An agent as people have it: the AI SDK with a tool, an endpoint from the environment, the question as argument. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";

const provider = createOpenAICompatible({
  name: "own",
  baseURL: process.env["OPENAI_BASE_URL"] ?? "",
  apiKey: process.env["OPENAI_API_KEY"] ?? "",
});
const { text } = await generateText({
  model: provider("any"),
  system: "You answer questions about stock.",
  prompt: process.argv[2] ?? "",
  stopWhen: stepCountIs(5),
  tools: {
    stock: tool({
      description: "How many of an item there are.",
      inputSchema: z.object({ item: z.string() }),
      execute: ({ item }) => `${item.length} of ${item}`,
    }),
  },
});
process.stdout.write(`${text}\n`);
