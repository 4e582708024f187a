/** What a program asks, as the policy reads it: of a conversation that goes on only what is new. */
import { canonicalJson } from "../tools/canonical.ts";
import { toolSays } from "../tools/observation.ts";
import type { AnswerForm, ChatMessage, ChatQuestion, ChatTool } from "./question.ts";

const FORM = 'To call a tool write {"name": "…", "arguments": {…}}. Any other text is your answer.';

const MUST = 'Call one of them: write {"name": "…", "arguments": {…}}.';

/** Reads the questions of one program in turn. A program may hold several conversations, one inside the other. */
export class Reader {
  /** What was asked and answered so far, for each conversation; each message as one text. */
  readonly #conversations: (readonly string[])[] = [];
  #tools = "";
  #form = "";

  read({ messages, tools, mustCall, form }: ChatQuestion): string {
    const texts = messages.map((message) =>
      canonicalJson([message.role, contentOf(message), message.tool_call_id ?? null]),
    );
    const at = this.#conversations.findIndex(
      (known) => known.length < texts.length && known.every((text, place) => text === texts[place]),
    );
    const known = at < 0 ? 0 : (this.#conversations[at]?.length ?? 0);
    // The answer that this conversation was given stands behind what is known of it.
    const fresh = messages
      .slice(known)
      .filter(({ role }, place) => !(known > 0 && place === 0 && role === "assistant"));
    const beginning = known === 0 && this.#conversations.length > 0 ? ["A new conversation begins."] : [];
    if (at < 0) this.#conversations.push(texts);
    else this.#conversations[at] = texts;
    const offered = tools.length === 0 ? "" : `Tools\n${tools.map(toolLine).join("\n")}\n${mustCall ? MUST : FORM}`;
    const shape = form === undefined ? "" : formLine(form);
    const told = [
      ...(offered === this.#tools ? [] : [offered === "" ? "There are no tools any more." : offered]),
      ...(shape === this.#form ? [] : [shape === "" ? "Your answer may be plain text again." : shape]),
    ];
    this.#tools = offered;
    this.#form = shape;
    return (
      [...beginning, ...told, ...fresh.map((message) => lineOf(message, messages))].join("\n\n") || "(nothing was said)"
    );
  }
}

function lineOf(message: ChatMessage, all: readonly ChatMessage[]): string {
  const text = contentOf(message);
  if (message.role === "tool") {
    const calls = all.flatMap(({ tool_calls }) => tool_calls ?? []);
    return toolSays(calls.find(({ id }) => id === message.tool_call_id)?.function.name ?? "result", text);
  }
  if (message.role !== "assistant") return text;
  const called = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => `${name}(${args})`);
  return `You said before: ${[text, ...called].filter((one) => one !== "").join(" ")}`;
}

function contentOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ type, text }) => text ?? `[${type}]`).join("\n");
}

function toolLine({ name, description, parameters }: ChatTool): string {
  const { properties } = parameters;
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return `- ${name}(${names.join(", ")}): ${description}`;
}

function formLine({ schema }: AnswerForm): string {
  return `Your answer is one JSON object${schema === undefined ? "" : ` of this schema: ${canonicalJson(schema)}`}.`;
}
