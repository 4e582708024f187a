/** Benches of the formats: a large chat file into the store, end to end, with the memory it took. */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createRng } from "../../packages/base/src/base/rng.ts";
import { openaiChat } from "../../packages/store/src/store/formats/openai-chat.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { memoryMib, seconds, type Bench } from "./harness.ts";

const STEPS = 200_000;
const STEPS_EACH = 20;

/** Conversations of 20 tool calls each, about 400 bytes a step, in the OpenAI shape. */
async function writeConversations(path: string): Promise<void> {
  const file = createWriteStream(path);
  const rng = createRng("formats");
  for (let index = 0; index < STEPS / STEPS_EACH; index += 1) {
    const messages: object[] = [
      { role: "system", content: "You work in a household. Call one tool at a time." },
      { role: "user", content: `Put a clean apple ${rng.int(1000)} in the fridge.` },
    ];
    for (let step = 0; step < STEPS_EACH; step += 1) {
      const call = { name: "act", arguments: JSON.stringify({ verb: "go", place: `countertop ${rng.int(50)}` }) };
      messages.push(
        {
          role: "assistant",
          content: "I look there next.",
          tool_calls: [{ id: `c${step}`, type: "function", function: call }],
        },
        {
          role: "tool",
          tool_call_id: `c${step}`,
          content: `You arrive. You see an apple ${rng.int(50)}, a bread 1 and a knife 2.`,
        },
      );
    }
    if (!file.write(`${JSON.stringify({ id: `chat-${index}`, messages })}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
}

const importChat: Bench = {
  name: "formats/import-chat",
  summary: `Imports a chat JSON-lines file of ${STEPS} steps into a new run of the store, committed and synced.`,
  unit: "steps/s",
  repetitions: 3,
  setUp: async (folder) => {
    const path = join(folder, "chats.jsonl");
    await writeConversations(path);
    const { size } = await stat(path);
    const store = openStore(join(folder, "store"));
    const before = memoryMib();
    let peak = before;
    return {
      measure: async () => {
        const run = await store.createRun({ kind: "import" });
        let steps = 0;
        const took = await seconds(async () => {
          for await (const trajectory of openaiChat.read(path, {})) {
            await run.append(trajectory);
            const earlier = steps;
            steps += trajectory.steps.length;
            if (Math.floor(steps / 2000) > Math.floor(earlier / 2000)) peak = Math.max(peak, memoryMib());
          }
          await run.close();
        });
        peak = Math.max(peak, memoryMib());
        return steps / took;
      },
      notes: () => ({
        "file MiB": Math.round(size / 1024 / 1024),
        "memory before MiB": before,
        "peak memory MiB": peak,
      }),
    };
  },
};

export const formatBenches: readonly Bench[] = [importChat];
