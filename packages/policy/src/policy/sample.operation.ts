/** `limbeck sample`: text from a model, as it is written. */
import { EngineError, usageError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { input } from "limbeck-base/base/input";
import { defineOperation, type Input } from "limbeck-base/base/operation";
import { adaptedInputs } from "./engine.inputs.ts";
import type { LocalModel } from "./local/local-model.ts";
import type { Tokenizer } from "./local/tokenizer.ts";

const inputs = {
  ...adaptedInputs,
  prompt: input.text("TEXT", 'What to continue; "-" reads standard input'),
  chat: input.flag("Answer the prompt as a chat message"),
  system: input.text("TEXT", "System message, with --chat"),
  specials: input.flag("Special tokens in the prompt count as such"),
  maxTokens: input.count("N", "Tokens to write at most", { default: 128 }),
  temperature: input.number("T", "Of the draws. Default: 1; 0 takes the most likely token", { least: 0 }),
  topK: input.count("N", "Only the N most likely tokens"),
  topP: input.number("P", "Only the most likely tokens that make up this share", { least: 0, most: 1 }),
  minP: input.number("P", "Only tokens at least this likely, relative to the most likely", { least: 0, most: 1 }),
  stop: input.texts("TEXT", "Text that ends it; may be repeated"),
  seed: input.count("N", "Which of the possible texts", { least: 0, default: 0 }),
};

/**
 * Text from a model, as it is written.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const { ids } = await sample({ model: bundledModel("household"), prompt: "look", maxTokens: 2 });
 * console.log(ids.length); // 2
 */
export const sample = defineOperation({
  name: "sample",
  group: "learn",
  summary: "Sample text from a model folder",
  usage: '--model DIR --prompt "…" [--chat] [--max-tokens N] [--temperature T] [--seed N]',
  description:
    "Prints the continuation of the prompt while it is written. The same seed gives the same text.\n" +
    "With --chat the prompt is a user's message and the model's chat template stands around it. Special tokens written in a prompt are only text, unless --specials is given.",
  input: inputs,
  rules: [{ only: ["system"], with: "chat", say: "is part of a chat; give --chat too." }],
  examples: [
    'limbeck sample --model stories --prompt "Once upon a time" --temperature 0.8',
    'limbeck sample --model agent --prompt "look around" --chat --seed 3 --json',
  ],
  line: {
    text: "what was written",
    ids: "its tokens",
    logprobs: "log-probability of each token under the model itself (temperature 1, no restriction)",
    promptTokens: "tokens of the prompt",
    ending: '"stop" (an end token or --stop), "length" (--max-tokens) or "context" (the model\'s context is full)',
    seed: "the seed",
    model: "name of the model",
  },
  /** A piece of the text, as soon as it is clear that it stays. */
  shows: undefined as { piece(text: string): void } | undefined,
  natives: () => ["onnxruntime"],
  run: async (given, { show, emit, signal, ...context }) => {
    if (given.prompt === undefined) throw usageError('"limbeck sample" needs --prompt TEXT, what to continue.');
    const prompt = given.prompt === "-" ? await context.readInput() : given.prompt;
    const { givenModel } = await import("./local/given-model.ts");
    const model = await givenModel("sample", given, context);
    try {
      const sampled = await continued(model, prompt, given, { show: (piece) => show.piece(piece), signal });
      emit(sampled);
      return sampled;
    } finally {
      await model.close();
    }
  },
});

async function continued(
  model: LocalModel,
  prompt: string,
  given: Input<typeof inputs>,
  { show, signal }: { readonly show: (piece: string) => void; readonly signal: AbortSignal },
) {
  const { createTextStream } = await import("./local/tokenizer.ts");
  const { requireTokenizer } = await import("./local/open-model.ts");
  const tokenizer = requireTokenizer(model);
  const { temperature = 1, topK, topP, minP, maxTokens, seed } = given;
  const read = promptIds(model, tokenizer, prompt, given);
  const talk = model.open({ seed });
  talk.extend(read);
  const draws = { maxTokens: 1, temperature, ...withoutUndefined({ topK, topP, minP }), signal };
  const stops = given.stop.filter((text) => text !== "");
  const stream = createTextStream(tokenizer);
  const [ids, logprobs]: [number[], number[]] = [[], []];
  let [text, shown] = ["", 0];
  const showUpTo = (end: number): void => {
    if (end > shown) show(text.slice(shown, end));
    shown = Math.max(shown, end);
  };
  let ending: "stop" | "length" | "context" = "length";
  // One token at a time: a conversation keeps what it has read, so the text is the same as in one go.
  while (ending === "length" && ids.length < maxTokens) {
    const said = await talk.sample(draws);
    const id = said.ids[0] as number;
    ids.push(id);
    logprobs.push(said.logprobs[0] as number);
    if (talk.tokens.length >= model.config.contextLength) ending = "context";
    const isEnd = model.stopIds.includes(id);
    if (!isEnd) text += stream.push(id);
    const places = stops.map((stop) => text.indexOf(stop)).filter((place) => place >= 0);
    if (isEnd || places.length > 0) ending = "stop";
    if (places.length > 0) text = text.slice(0, Math.min(...places));
    // What may be the beginning of a stop text is not shown before it is clear that it is not.
    if (ending !== "stop") showUpTo(text.length - heldBack(text, stops));
  }
  if (ending !== "stop") text += stream.end();
  showUpTo(text.length);
  return { text, ids, logprobs, promptTokens: read.length, ending, seed, model: model.ref.name };
}

function promptIds(
  model: LocalModel,
  tokenizer: Tokenizer,
  prompt: string,
  { chat, system, specials }: Input<typeof inputs>,
): Int32Array {
  if (!chat) return tokenizer.encode(prompt, { specials: specials ? "token" : "text", wrap: true });
  if (model.chat === undefined) {
    throw new EngineError(
      "missing-chat-template",
      `The model "${model.ref.name}" has no chat template; leave --chat out, or add "chat_template" to its tokenizer_config.json.`,
    );
  }
  const opening = system === undefined ? [] : [{ role: "system", content: system }];
  return model.chat.encodePrompt([...opening, { role: "user", content: prompt }]);
}

/** How many letters at the end could still grow into a stop text. */
function heldBack(text: string, stops: readonly string[]): number {
  const isHeld = (size: number): boolean =>
    stops.some((stop) => stop.length > size && stop.startsWith(text.slice(-size)));
  let held = Math.min(text.length, Math.max(0, ...stops.map(({ length }) => length - 1)));
  while (held > 0 && !isHeld(held)) held -= 1;
  return held;
}
