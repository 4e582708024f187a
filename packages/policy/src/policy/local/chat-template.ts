/**
 * Chats as tokens, by the template of a model folder. What a message says is data: a special token written out in it
 * stays text, so that no user and no world can end a turn or open another.
 */
import { EngineError } from "limbeck-base/base/errors";
import { isObject } from "limbeck-base/base/json";
import { quote } from "./quote.ts";
import type { Tokenizer, TokenizerFiles } from "./tokenizer.ts";

export interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
  readonly [more: string]: unknown;
}

export interface ChatOptions {
  /** Opens the assistant's turn at the end. */
  readonly addGenerationPrompt?: boolean;
  readonly tools?: readonly unknown[];
  /** Further variables of the template, `enable_thinking` for example. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

export interface EncodedChat {
  readonly ids: Int32Array;
  /** 1 where the token is what the assistant says, its end-of-turn token included. */
  readonly mask: Uint8Array;
}

export interface Chat {
  render(messages: readonly ChatMessage[], options?: ChatOptions): string;
  /** Everything up to the assistant's next turn. */
  encodePrompt(messages: readonly ChatMessage[], options?: ChatOptions): Int32Array;
  /** A finished chat. `replies` says which assistant turns are marked. Default: all. */
  encode(messages: readonly ChatMessage[], options?: ChatOptions & { readonly replies?: "all" | "last" }): EncodedChat;
}

/** The layout of Qwen and many others; the template of tokenizers that are trained here. */
export const CHATML_TEMPLATE =
  "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/** Undefined where the folder has no template. */
export async function createChat(tokenizer: Tokenizer): Promise<Chat | undefined> {
  const source = templateOf(tokenizer.files);
  if (source === undefined) return undefined;
  const template = await readTemplate(source).catch((error: unknown) =>
    attempt("cannot be read", () => {
      throw error;
    }),
  );
  const names = namedTokens(tokenizer.files);
  const render = (messages: readonly ChatMessage[], options: ChatOptions = {}): string => {
    const text = attempt("refused the chat", () =>
      template.render(
        {
          ...names,
          messages,
          tools: options.tools ?? null,
          add_generation_prompt: options.addGenerationPrompt ?? false,
          ...options.variables,
        },
        messages.length + (options.tools?.length ?? 0),
      ),
    );
    refuseFlood(text, messages, options);
    return text;
  };
  return {
    render,
    encodePrompt: (messages, options = {}) => {
      const shield = createShield(tokenizer, messages);
      return shield.encode(render(shield.messages, { ...options, addGenerationPrompt: true }));
    },
    encode: (messages, options = {}) => {
      const { replies = "all", ...rest } = options;
      const shield = createShield(tokenizer, messages);
      const text = render(shield.messages, { ...rest, addGenerationPrompt: false });
      const ids: number[] = [];
      const mask: number[] = [];
      const add = (from: number, to: number, mark: number): void => {
        const part = shield.encode(text.slice(from, to), from > 0 && !endsSpecially(text.slice(0, from), tokenizer));
        // One by one: as arguments of one call, long texts overflow the stack.
        for (const id of part) {
          ids.push(id);
          mask.push(mark);
        }
      };
      let done = 0;
      for (const [from, to] of replySpans(shield.messages, text, { ...rest, replies }, render, tokenizer)) {
        add(done, from, 0);
        add(from, to, 1);
        done = to;
      }
      add(done, text.length, 0);
      return { ids: Int32Array.from(ids), mask: Uint8Array.from(mask) };
    },
  };
}

/** A frame around messages is short; a template that writes more than this beside them is not one. */
const MOST_ADDED = 2 ** 20;

function refuseFlood(text: string, messages: readonly ChatMessage[], { tools }: ChatOptions): void {
  if (text.length <= MOST_ADDED) return;
  const given = JSON.stringify([messages, tools ?? null]).length;
  if (text.length <= MOST_ADDED + 2 * given) return;
  throw new EngineError(
    "bad-chat-template",
    `The chat template wrote ${text.length} characters for a chat of ${given}; allowed are twice as many and ${MOST_ADDED} more.`,
  );
}

/** The assistant's turns in the rendered chat: from the end of the prompt to the end-of-turn token. */
function replySpans(
  messages: readonly ChatMessage[],
  text: string,
  options: ChatOptions & { readonly replies: "all" | "last" },
  render: Chat["render"],
  tokenizer: Tokenizer,
): [number, number][] {
  const turns = messages.flatMap(({ role }, at) => (role === "assistant" ? [at] : []));
  return (options.replies === "last" ? turns.slice(-1) : turns).map((turn) => {
    const prompt = render(messages.slice(0, turn), { ...options, addGenerationPrompt: true });
    const through = turn === messages.length - 1 ? text : render(messages.slice(0, turn + 1), options);
    if (!text.startsWith(prompt) || !text.startsWith(through) || through.length < prompt.length) {
      throw new EngineError(
        "template-rewrites-history",
        `The chat template writes message ${turn} differently once later messages follow, so its tokens cannot be marked. Mark the last reply only (replies: "last"), one chat per reply.`,
        { details: { message: turn } },
      );
    }
    // What the template adds after the end-of-turn token (a line break) is not sampled.
    const ends = [...tokenizer.specials.keys()].map((token) => {
      const at = through.lastIndexOf(token);
      return at < prompt.length ? -1 : at + token.length;
    });
    const end = Math.max(-1, ...ends);
    return [prompt.length, end < 0 ? through.length : end];
  });
}

/** Tokenizers that put a space before a text put one behind every special token too. */
function endsSpecially(text: string, tokenizer: Tokenizer): boolean {
  return [...tokenizer.specials.keys()].some((token) => text.endsWith(token));
}

/**
 * Special tokens inside messages become marks of private-use letters while the template runs, and text again when the
 * result is encoded. Messages without any pass through untouched.
 */
function createShield(tokenizer: Tokenizer, messages: readonly ChatMessage[]) {
  const specials = [...tokenizer.specials.keys()].sort((left, right) => right.length - left.length);
  const all = JSON.stringify(messages);
  let letter = 0xe000;
  while (letter < 0xf8ff && all.includes(String.fromCodePoint(letter))) letter += 1;
  const edge = String.fromCodePoint(letter);
  const hide = (value: unknown): unknown => {
    if (typeof value === "string") {
      return specials.reduce((text, token, at) => text.replaceAll(token, `${edge}${at}${edge}`), value);
    }
    if (Array.isArray(value)) return value.map(hide);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, hide(entry)]))
      : value;
  };
  const needed = specials.some((token) => all.includes(JSON.stringify(token).slice(1, -1)));
  return {
    messages: needed ? (hide(messages) as ChatMessage[]) : messages,
    /** `continues` says that other tokens stand before, and no special one last. */
    encode: (rendered: string, continues = false): Int32Array => {
      if (!needed) return tokenizer.encode(rendered, { specials: "token", continues });
      const parts = rendered.split(new RegExp(`${edge}(\\d+)${edge}`));
      const ids = parts.flatMap((part, at) => [
        ...(at % 2 === 0
          ? tokenizer.encode(part, { specials: "token", continues: continues || at > 0 })
          : tokenizer.encode(specials[Number(part)] ?? "", { specials: "text", continues: true })),
      ]);
      return Int32Array.from(ids);
    },
  };
}

function templateOf(files: TokenizerFiles): string | undefined {
  if (files.chatTemplate !== undefined) return files.chatTemplate;
  const template = files.config["chat_template"];
  if (typeof template === "string") return template;
  if (!Array.isArray(template)) return undefined;
  const entry: unknown = template.find((part) => isObject(part) && part["name"] === "default") ?? template[0];
  return isObject(entry) && typeof entry["template"] === "string" ? entry["template"] : undefined;
}

/** `bos_token`, `eos_token` and the like; older folders write them as objects. */
function namedTokens(files: TokenizerFiles): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files.config).flatMap(([key, value]) => {
      const text = isObject(value) ? value["content"] : value;
      return key.endsWith("_token") && typeof text === "string" ? [[key, text]] : [];
    }),
  );
}

function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = error instanceof Error ? quote(error.message, 300) : "unknown";
    throw new EngineError("bad-chat-template", `The chat template ${what}: ${why}.`, { cause: error });
  }
}

// Chat templates come with models, from anywhere, and are programs. One runs here with bounded steps, so that none can hold the process or fill
// its memory: each value that is worked out is a step, and `range` gives a bounded count of numbers.

/** What is used of the library; its own types do not resolve here. */
interface Jinja {
  readonly Template: new (source: string) => Template;
  readonly Environment: new () => Environment;
  readonly Interpreter: new (environment: Environment) => Interpreter;
}

interface Template {
  readonly parsed: Statement;
  render(variables: Readonly<Record<string, unknown>>): string;
}

interface Environment {
  set(name: string, value: unknown): unknown;
}

interface Interpreter {
  run(program: Statement): Value;
  evaluate(statement: Statement | undefined, environment: Environment): Value;
}

interface Value {
  readonly value: unknown;
}

interface Statement {
  readonly type: string;
  /** What a loop goes through; with a condition it stands on its left side. */
  readonly iterable?: Statement & { readonly lhs?: Statement };
}

/** A message of a large template takes some hundred. */
const FREE_STEPS = 1_000_000;
const STEPS_PER_ENTRY = 5_000;
const STEPS_PER_ROUND = 10;
const MOST_NUMBERS = 100_000;
/** No text on the way may be longer; the whole is held to less (`chat-template.ts`). */
const MOST_LETTERS = 2 ** 27;

interface BoundedTemplate {
  /** `entries` is the number of messages and tools: more of them may take more steps. */
  render(variables: Readonly<Record<string, unknown>>, entries: number): string;
}

async function readTemplate(source: string): Promise<BoundedTemplate> {
  const jinja = (await import("@huggingface/jinja")) as unknown as Jinja;
  const template = new jinja.Template(source);
  const Counted = countedInterpreter(jinja);
  const clock = new jinja.Template("{{ strftime_now(form) }}");
  return {
    render: (variables, entries) => {
      const environment = new jinja.Environment();
      const globals = { ...constants, range: boundedRange(), strftime_now: (form: string) => clock.render({ form }) };
      for (const [name, value] of Object.entries({ ...globals, ...variables })) environment.set(name, value);
      const steps = FREE_STEPS + STEPS_PER_ENTRY * entries;
      return String(new Counted(environment, steps).run(template.parsed).value);
    },
  };
}

/** What every template may count on. */
const constants = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  raise_exception: (why: string): never => {
    throw new Error(why);
  },
};

function countedInterpreter({
  Interpreter: Plain,
}: Jinja): new (environment: Environment, most: number) => Interpreter {
  return class Counted extends Plain {
    #left: number;
    readonly #most: number;

    constructor(environment: Environment, most: number) {
      super(environment);
      [this.#left, this.#most] = [most, most];
    }

    override evaluate(statement: Statement | undefined, environment: Environment): Value {
      this.#left -= 1;
      // A round of a loop costs a scope, also where nothing stands in it; all are made before the first.
      if (statement?.type === "For") this.#left -= STEPS_PER_ROUND * this.#rounds(statement, environment);
      if (this.#left < 0) throw new Error(`it takes more than ${this.#most} steps`);
      const made = super.evaluate(statement, environment);
      if (typeof made.value === "string" && made.value.length > MOST_LETTERS) {
        throw new Error("it writes a text without end");
      }
      return made;
    }

    #rounds({ iterable }: Statement, environment: Environment): number {
      const { value } = super.evaluate(iterable?.lhs ?? iterable, environment);
      return Array.isArray(value) ? value.length : value instanceof Map ? value.size : 0;
    }
  };
}

/** As in Python; all calls of one chat together give a bounded count. */
function boundedRange(): (start: number, stop?: number, step?: number) => number[] {
  let left = MOST_NUMBERS;
  return (start, stop, step = 1) => {
    const [from, to] = stop === undefined ? [0, start] : [start, stop];
    if (step === 0) throw new Error("range() step must not be zero");
    const count = Math.max(0, Math.ceil((to - from) / step));
    if (!(count <= left)) throw new Error(`range() gives at most ${MOST_NUMBERS} numbers in all`);
    left -= count;
    return Array.from({ length: count }, (_, index) => from + index * step);
  };
}
