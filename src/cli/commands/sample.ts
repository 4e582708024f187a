/** `limbeck sample`: text from a model, as it is written. */
import { EngineError } from "../../base/errors.ts";
import { withoutUndefined } from "../../base/fields.ts";
import type { Conversation } from "../../policy/index.ts";
import type { LocalModel } from "../../policy/local/local-model.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLines } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import {
  adapterOption,
  givenCount,
  givenNumber,
  maybeCount,
  maybeNumber,
  modelOptions,
  openGiven,
} from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { flag, shared, text, texts } from "../options.ts";

export const sample: Command = {
  group: "learn",
  summary: "Sample text from a model folder",
  usage: '--model DIR --prompt "…" [--chat] [--max-tokens N] [--temperature T] [--seed N]',
  description:
    "Prints the continuation of the prompt while it is written. The same seed gives the same text.\n" +
    "With --chat the prompt is a user's message and the model's chat template stands around it. Special tokens written in a prompt are only text, unless --specials is given.",
  options: {
    ...modelOptions,
    ...adapterOption,
    cache: shared.cache,
    prompt: text("TEXT", 'What to continue; "-" reads standard input'),
    chat: flag("Answer the prompt as a chat message"),
    system: text("TEXT", "System message, with --chat"),
    specials: flag("Special tokens in the prompt count as such"),
    "max-tokens": text("N", "Tokens to write at most. Default: 128"),
    temperature: text("T", "Of the draws. Default: 1; 0 takes the most likely token"),
    "top-k": text("N", "Only the N most likely tokens"),
    "top-p": text("P", "Only the most likely tokens that make up this share"),
    "min-p": text("P", "Only tokens at least this likely, relative to the most likely"),
    stop: texts("TEXT", "Text that ends it; may be repeated"),
    seed: text("N", "Which of the possible texts. Default: 0"),
  },
  examples: [
    'limbeck sample --model stories --prompt "Once upon a time" --temperature 0.8',
    'limbeck sample --model agent --prompt "look around" --chat --seed 3 --json',
  ],
  jsonFields: {
    text: "what was written",
    ids: "its tokens",
    logprobs: "log-probability of each token under the model itself (temperature 1, no restriction)",
    promptTokens: "tokens of the prompt",
    ending: '"stop" (an end token or --stop), "length" (--max-tokens) or "context" (the model\'s context is full)',
    seed: "the seed",
    model: "name of the model",
  },
  natives: ["onnxruntime"],
  run: async (invocation) => {
    const prompt = await givenPrompt(invocation);
    const model = await openGiven(invocation, "sample");
    try {
      await write(invocation, model, prompt);
    } finally {
      await model.close();
    }
    return EXIT.done;
  },
};

async function givenPrompt(invocation: Invocation): Promise<string> {
  const prompt = invocation.text("prompt");
  if (prompt === undefined) throw usageError('"limbeck sample" needs --prompt TEXT, what to continue.');
  if (invocation.text("system") !== undefined && !invocation.flag("chat")) {
    throw usageError("--system is part of a chat; give --chat too.");
  }
  return prompt === "-" ? await invocation.io.readInput() : prompt;
}

async function write(invocation: Invocation, model: LocalModel, prompt: string): Promise<void> {
  const { io } = invocation;
  const { createTextStream } = await import("../../policy/local/tokenizer.ts");
  const { requireTokenizer } = await import("../../policy/local/open-model.ts");
  const tokenizer = requireTokenizer(model);
  const ids = promptIds(invocation, model, prompt);
  const seed = givenCount(invocation, "seed", 0, 0);
  const talk = model.open({ seed });
  talk.extend(ids);
  const stops = invocation.texts("stop").filter((text) => text !== "");
  const stream = createTextStream(tokenizer);
  const [said, logprobs]: [number[], number[]] = [[], []];
  let [text, shown] = ["", 0];
  const show = (upTo: number): void => {
    if (upTo <= shown) return;
    // A model may write anything; a terminal must not obey it.
    if (!invocation.json) io.out(cleanLines(text.slice(shown, upTo)).join("\n"));
    shown = upTo;
  };
  let ending: "stop" | "length" | "context" = "length";
  for await (const token of tokens(invocation, talk, model.config.contextLength)) {
    const { id, logprob } = token;
    said.push(id);
    logprobs.push(logprob);
    if (token.full) ending = "context";
    if (model.stopIds.includes(id)) {
      ending = "stop";
      break;
    }
    text += stream.push(id);
    const end = firstOf(text, stops);
    if (end >= 0) {
      text = text.slice(0, end);
      ending = "stop";
      break;
    }
    // What may be the beginning of a stop text is not shown before it is clear that it is not.
    show(text.length - heldBack(text, stops));
  }
  if (ending !== "stop") text += stream.end();
  show(text.length);
  if (!invocation.json) io.out("\n");
  const { name } = model.ref;
  if (invocation.json) {
    invocation.printJson({ text, ids: said, logprobs, promptTokens: ids.length, ending, seed, model: name });
  }
  invocation.note(`${plural(said.length, "token")}, ended by ${ending}, seed ${seed}`);
}

function promptIds(invocation: Invocation, model: LocalModel, prompt: string): Int32Array {
  if (invocation.flag("chat")) {
    if (model.chat === undefined) {
      throw new EngineError(
        "missing-chat-template",
        `The model "${model.ref.name}" has no chat template; leave --chat out, or add "chat_template" to its tokenizer_config.json.`,
      );
    }
    const system = invocation.text("system");
    return model.chat.encodePrompt([
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      { role: "user", content: prompt },
    ]);
  }
  const specials = invocation.flag("specials") ? "token" : "text";
  return model.tokenizer?.encode(prompt, { specials, wrap: true }) ?? new Int32Array();
}

interface Token {
  readonly id: number;
  readonly logprob: number;
  /** It took the last place of the context. */
  readonly full: boolean;
}

/** One token at a time: a conversation keeps what it has read, so the text is the same as in one go. */
async function* tokens(
  invocation: Invocation,
  talk: Conversation,
  contextLength: number,
): AsyncGenerator<Token, void, undefined> {
  const temperature = givenNumber(invocation, "temperature", { otherwise: 1, low: 0 });
  const limits = withoutUndefined({
    topK: maybeCount(invocation, "top-k"),
    topP: maybeNumber(invocation, "top-p", { low: 0, high: 1 }),
    minP: maybeNumber(invocation, "min-p", { low: 0, high: 1 }),
  });
  const most = givenCount(invocation, "max-tokens", 128);
  for (let count = 0; count < most; count += 1) {
    const said = await talk.sample({ maxTokens: 1, temperature, ...limits, signal: invocation.io.signal });
    const full = talk.tokens.length >= contextLength;
    yield { id: said.ids[0] as number, logprob: said.logprobs[0] as number, full };
    if (full) return;
  }
}

function firstOf(text: string, stops: readonly string[]): number {
  const places = stops.map((stop) => text.indexOf(stop)).filter((place) => place >= 0);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** How many letters at the end could still grow into a stop text. */
function heldBack(text: string, stops: readonly string[]): number {
  let held = 0;
  for (const stop of stops) {
    for (let size = Math.min(stop.length - 1, text.length); size > held; size -= 1) {
      if (text.endsWith(stop.slice(0, size))) held = size;
    }
  }
  return held;
}
