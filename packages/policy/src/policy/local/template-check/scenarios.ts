/** Chats that a template is tried with: each has an assistant's turn that later messages follow. */
import type { ChatMessage, ChatOptions } from "../chat-template.ts";

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly messages: readonly ChatMessage[];
  readonly options?: ChatOptions;
  /**
   * What the model wrote in the assistant's turns. "content" is the message's own text, as it was sampled; "template" is
   * whatever the template itself makes of the turn while it is the last one, for turns that are not plain text.
   */
  readonly expects: "content" | "template";
  /** Texts that a message has, by its place, and that the model should see. */
  readonly shows?: readonly (readonly [message: number, text: string])[];
  /** Only for templates that can switch thinking off. */
  readonly needsSwitch?: boolean;
}

const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string, more: object = {}): ChatMessage => ({ role: "assistant", content, ...more });

const LOOK_UP = {
  type: "function",
  function: {
    name: "look_up",
    description: "Finds a word",
    parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  },
};

// Mistral's templates want ids of nine letters and digits.
const call = (id: string, word: string): object => ({
  id,
  type: "function",
  function: { name: "look_up", arguments: { word } },
});
const result = (id: string, content: string): ChatMessage => ({
  role: "tool",
  name: "look_up",
  tool_call_id: id,
  content,
});

const THOUGHT = "<think>\nThe desk is near.\n</think>\n\nGo to the desk.";

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "plain",
    about: "questions and answers, nothing else",
    messages: [
      user("Where is the mug?"),
      assistant("Look around."),
      user("And now?"),
      assistant("Take it."),
      user("Done?"),
    ],
    expects: "content",
  },
  {
    name: "system",
    about: "a system message first",
    messages: [
      { role: "system", content: "Answer briefly." },
      user("Where is the mug?"),
      assistant("Look around."),
      user("And now?"),
    ],
    expects: "content",
    shows: [[1, "Answer briefly."]],
  },
  {
    name: "edges",
    about: "an answer with spaces and line breaks at its ends",
    messages: [user("Where?"), assistant("\n Look around. \n"), user("And now?")],
    expects: "content",
  },
  {
    name: "empty-answer",
    about: "an answer without a word",
    messages: [user("Where?"), assistant(""), user("And now?")],
    expects: "content",
  },
  {
    name: "empty-question",
    about: "a question without a word",
    messages: [user(""), assistant("Look around."), user("")],
    expects: "content",
  },
  {
    name: "thinking",
    about: "an answer that thinks first, in <think> tags, then another question",
    messages: [user("Where?"), assistant(THOUGHT), user("And now?")],
    expects: "content",
  },
  {
    name: "thinking-field",
    about: "the same with the thought in reasoning_content",
    messages: [
      user("Where?"),
      assistant("Go to the desk.", { reasoning_content: "The desk is near." }),
      user("And now?"),
    ],
    expects: "template",
    shows: [[1, "The desk is near."]],
  },
  {
    name: "tool-call",
    about: "a call of a tool, its result, an answer, another question",
    messages: [
      user("What is this?"),
      assistant("", { tool_calls: [call("call00001", "mug")] }),
      result("call00001", "a cup"),
      assistant("A cup."),
      user("Sure?"),
    ],
    options: { tools: [LOOK_UP] },
    expects: "template",
    shows: [
      [0, "look_up"],
      [1, "mug"],
      [1, "look_up"],
      [2, "a cup"],
    ],
  },
  {
    name: "two-calls",
    about: "two calls at once and their results",
    messages: [
      user("What are these?"),
      assistant("", { tool_calls: [call("call00001", "mug"), call("call00002", "desk")] }),
      result("call00001", "a cup"),
      result("call00002", "a table"),
      assistant("A cup and a table."),
      user("Sure?"),
    ],
    options: { tools: [LOOK_UP] },
    expects: "template",
    shows: [
      [1, "desk"],
      [3, "a cup"],
      [3, "a table"],
    ],
  },
  {
    name: "thinking-call",
    about: "a thought before a call of a tool, in reasoning_content, and the result",
    messages: [
      user("What is this?"),
      assistant("", { reasoning_content: "I look it up.", tool_calls: [call("call00001", "mug")] }),
      result("call00001", "a cup"),
      assistant("A cup."),
      user("Sure?"),
    ],
    options: { tools: [LOOK_UP] },
    expects: "template",
    shows: [[1, "I look it up."]],
  },
  {
    name: "thinking-off",
    about: "thinking switched off (enable_thinking is false)",
    messages: [user("Where?"), assistant("Look around."), user("And now?")],
    options: { variables: { enable_thinking: false } },
    expects: "content",
    needsSwitch: true,
  },
];
