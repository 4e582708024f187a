/**
 * An agent that compares the weather of two cities, recorded. It needs no key: the model is a script.
 *
 *     npx tsx examples/trip-agent.ts
 *     npx limbeck import recordings
 *     npx limbeck traces
 *
 * In a project of your own the recorder comes from "limbeck-recorder".
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, tool, wrapLanguageModel, type LanguageModel, type TelemetrySettings } from "ai";
import { z } from "zod";
import { createRecorder } from "../packages/recorder/src/recorder.ts";
import { startScriptedProvider } from "./scripted-provider.ts";

const DEGREES: Readonly<Record<string, number>> = { Paris: 17, Rome: 24 };

export interface TripOptions {
  readonly telemetry?: TelemetrySettings;
}

/** The agent: it knows nothing of recording. */
export async function planTrip(model: LanguageModel, question: string, options: TripOptions = {}): Promise<string> {
  const { text } = await generateText({
    model,
    system: "You compare cities. Use the tools; do not guess.",
    prompt: question,
    tools: {
      weather: tool({
        description: "The temperature of a city, in degrees",
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => Promise.resolve(`${DEGREES[city] ?? "unknown"}`),
      }),
    },
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    ...(options.telemetry === undefined ? {} : { experimental_telemetry: options.telemetry }),
  });
  return text;
}

async function main(): Promise<void> {
  const provider = await startScriptedProvider();
  const models = createOpenAICompatible({ name: "scripted", baseURL: provider.url });
  // The one line: every call of this model is recorded.
  const recorder = createRecorder({ to: "recordings", agent: "trip-agent" });
  const model = wrapLanguageModel({ model: models("scripted"), middleware: recorder.middleware });
  await recorder.run({ task: "warmer-city" }, async (id) => {
    const answer = await planTrip(model, "Which is warmer, Paris or Rome?");
    recorder.feedback(id, { success: answer.startsWith("Rome"), source: "example" });
    process.stdout.write(`${answer}\n`);
  });
  await recorder.flush();
  await provider.close();
  process.stdout.write(
    `Recorded: ${JSON.stringify(recorder.status())}. Look at it with "limbeck import recordings".\n`,
  );
}

if (process.argv[1] === import.meta.filename) await main();
