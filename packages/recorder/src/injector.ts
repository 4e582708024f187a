/**
 * The injector: puts the skills that fit into the system prompt of a call, as a middleware for the AI SDK, a wrapper for
 * its models, or a `fetch`. Whatever goes wrong in here leaves the request as it was and is counted.
 */
import { readCallOptions } from "./wire/ai-sdk.ts";
import { parseObject, isObject, type JsonObject, type Message } from "./lines.ts";
import { addressOf, wrapModel } from "./recorded-calls.ts";
import { createSafely, type Safely } from "./safely.ts";
import { skillsIn, writeSection } from "./selection/section.ts";
import type { Choice, SelectLimits, Selector } from "./selection/select.ts";
import type { Shape } from "./wire/shape.ts";
import { shapeOf } from "./wire/shapes.ts";
import { SkillLibrary, type LibraryOptions, type SkillSource } from "./skill-library.ts";
import { anthropicMessages } from "./wire/anthropic.ts";
import { openaiChat } from "./wire/openai-chat.ts";

export interface InjectorOptions extends SelectLimits, Pick<LibraryOptions, "timeoutMs" | "refreshMs" | "retryMs"> {
  /** A list, the path of a JSON file or of a library folder, an http address, or a function that gets them. */
  readonly skills: SkillSource;
  /** What `fetch` passes requests on to: the recorder's, for one. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Hears what went wrong. Default: nothing. */
  readonly onError?: (error: unknown) => void;
}

export interface InjectorStatus {
  /** Calls that got skills, and calls that none fitted. */
  readonly injected: number;
  readonly passed: number;
  /** What went wrong so far; the calls went on as they were. */
  readonly failures: number;
  /** Skills in use, and entries of the source that are none. */
  readonly skills: number;
  readonly skipped: number;
  /** What went wrong last. */
  readonly problem?: string;
}

/** A middleware for `wrapLanguageModel`, of any version. */
export interface InjectMiddleware {
  readonly specificationVersion: never;
  transformParams<Params>(call: { readonly params: Params }): Promise<Params>;
}

export interface Injector {
  /** In front of the recorder's: `middleware: [injector.middleware, recorder.middleware]`. */
  readonly middleware: InjectMiddleware;
  /** The same model, with skills. */
  model<Model extends object>(model: Model): Model;
  /** For clients that take a `fetch`: calls of chat models get skills, everything else passes. */
  readonly fetch: typeof globalThis.fetch;
  status(): InjectorStatus;
}

export function createInjector(options: InjectorOptions): Injector {
  const injection = new Injection(options);
  const send: typeof globalThis.fetch = (input, init) => (options.fetch ?? globalThis.fetch)(input, init);
  const transformParams: InjectMiddleware["transformParams"] = ({ params }) => injection.intoParams(params);
  return {
    middleware: { specificationVersion: "v3" as never, transformParams },
    model: (model) =>
      wrapModel(model, async (_, call, given) => {
        given[0] = await injection.intoParams(given[0]);
        return await call();
      }),
    fetch: async (input, init) => await send(input, await injection.intoRequest(input, init)),
    status: () => injection.status(),
  };
}

class Injection {
  readonly #options: InjectorOptions;
  readonly #safely: Safely;
  readonly #report: (error: unknown) => void;
  readonly #library: SkillLibrary;
  #injected = 0;
  #passed = 0;
  #failures = 0;
  #problem: string | undefined;

  constructor(options: InjectorOptions) {
    const { skills: source, ...rest } = options;
    this.#options = options;
    ({ safely: this.#safely, report: this.#report } = createSafely(options.onError));
    this.#library = new SkillLibrary({
      ...rest,
      source,
      clock: () => performance.now(),
      onFailure: (error) => this.#failed(error),
    });
  }

  status(): InjectorStatus {
    const counts = { injected: this.#injected, passed: this.#passed, failures: this.#failures };
    return { ...counts, ...this.#library.facts, ...(this.#problem === undefined ? {} : { problem: this.#problem }) };
  }

  /** The options of a call of the AI SDK. */
  intoParams<Params>(params: Params): Promise<Params> {
    return this.#inject(
      params,
      () => readCallOptions(params, undefined).messages,
      (section) => {
        const { prompt } = params as { readonly prompt?: unknown };
        return Array.isArray(prompt) ? { ...params, prompt: intoMessages(prompt, section) } : undefined;
      },
    );
  }

  /** The second argument of `fetch`. */
  intoRequest(input: FetchInput, init: RequestInit | undefined): Promise<RequestInit | undefined> {
    const chat = this.#safely(() => readChat(input, init));
    if (chat === undefined) return Promise.resolve(init);
    const { shape, body } = chat;
    return this.#inject(
      init,
      () => shape.asked(body).messages,
      (section) => {
        const changed = intoBody(shape, body, section);
        return changed === undefined ? undefined : { ...init, ...resized(init), body: JSON.stringify(changed) };
      },
    );
  }

  async #inject<Request>(
    request: Request,
    read: () => readonly Message[],
    put: (section: string) => Request | undefined,
  ): Promise<Request> {
    try {
      const selector = await this.#library.selector();
      if (selector === undefined) return request;
      const messages = read();
      // A section that is there already came from an injector further out.
      const section =
        skillsIn(messages) === undefined ? writeSection(chosenFor(messages, selector, this.#options).skills) : "";
      const changed = section === "" ? undefined : put(section);
      if (changed === undefined) this.#passed += 1;
      else this.#injected += 1;
      return changed ?? request;
    } catch (error) {
      this.#failed(error);
      return request;
    }
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    this.#problem = error instanceof Error ? error.message : String(error);
    this.#report(error);
  }
}

type FetchInput = Parameters<typeof globalThis.fetch>[0];

/** The call of a chat model that a request is; undefined for everything else. */
function readChat(
  input: FetchInput,
  init: RequestInit | undefined,
): { readonly shape: Shape; readonly body: JsonObject } | undefined {
  if (typeof init?.body !== "string") return undefined;
  const shape = shapeOf(addressOf(input));
  const body = shape === undefined ? undefined : parseObject(init.body);
  return shape === undefined || body === undefined ? undefined : { shape, body };
}

/**
 * The first message of the user is the goal, as it is in a recording of the call. What the user says later is what the agent sees now, and
 * may be a goal of its own: where it finds a skill for it, that one counts. Tool results do not choose skills.
 */
function chosenFor(messages: readonly Message[], selector: Selector, options: SelectLimits): Choice {
  const said = messages.flatMap(({ role, content }) => {
    if (role !== "user") return [];
    if (typeof content === "string") return [content];
    return [content.map((part) => (typeof part["text"] === "string" ? part["text"] : "")).join(" ")];
  });
  const [goal = "", latest = goal] = [said[0], said.at(-1)];
  if (latest === goal) return selector.select({ ...options, goal });
  const own = selector.select({ ...options, goal: latest, state: latest });
  return own.skills.some(({ level }) => level === "task") ? own : selector.select({ ...options, goal, state: latest });
}

/** A client that states the length of its body stated that of the old one. */
function resized(init: RequestInit | undefined): { readonly headers?: Headers } {
  const headers = new Headers(init?.headers);
  if (!headers.has("content-length")) return {};
  headers.delete("content-length");
  return { headers };
}

// Puts a section at the end of a request's system prompt, in each interface's own shape. What was given stays as it is.

/** A list of messages: the last of the leading system messages gets it, or a new one is put in front. */
function intoMessages(messages: readonly unknown[], section: string): readonly unknown[] {
  const leading = messages.findIndex((message) => !isSystem(message));
  const at = (leading === -1 ? messages.length : leading) - 1;
  const system = messages[at];
  if (!isObject(system)) return [{ role: "system", content: section }, ...messages];
  return messages.with(at, { ...system, content: intoContent(system["content"], section) });
}

/** Undefined where the body is not of a shape that has a place for it. */
function intoBody(shape: Shape, body: JsonObject, section: string): Readonly<Record<string, unknown>> | undefined {
  if (shape === openaiChat) {
    const { messages } = body;
    return Array.isArray(messages) ? { ...body, messages: intoMessages(messages, section) } : undefined;
  }
  const field = shape === anthropicMessages ? "system" : "instructions";
  return { ...body, [field]: intoContent(body[field], section) };
}

function isSystem(message: unknown): boolean {
  return isObject(message) && (message["role"] === "system" || message["role"] === "developer");
}

/** A block of its own where there are blocks: marks for the provider's cache stay where they are. */
function intoContent(content: unknown, section: string): unknown {
  if (Array.isArray(content)) return [...(content as readonly unknown[]), { type: "text", text: section }];
  return typeof content === "string" && content !== "" ? `${content}\n\n${section}` : section;
}
