/**
 * Trajectories as rows to clone: what the policy produced is trained on, what it read is not.
 *
 * Exact tokens are used where a trajectory has them and this model's tokenizer agrees with them; otherwise the chat is
 * written out by the model's chat template.
 */
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { TrainRow } from "limbeck-policy/policy/objective";
import type { Chat, ChatMessage } from "limbeck-policy/policy/local/chat-template";
import type { Tokenizer } from "limbeck-policy/policy/local/tokenizer";
import { episodeSteps, type Forest } from "limbeck-base/trajectory/forest";
import type { Message, Step, ToolCall, Trajectory } from "limbeck-base/trajectory/trajectory";
import { wholeStreams } from "limbeck-base/trajectory/whole-streams";

export interface CloningOptions {
  readonly tokenizer: Tokenizer;
  /** Needed where a trajectory has no tokens that can be used. */
  readonly chat: Chat | undefined;
  readonly vocabularySize: number;
  /** Longer rows are cut at the end. */
  readonly maxTokens: number;
  /** "auto": exact tokens where they say what the text says. "exact": never anything else. "text": never them. */
  readonly tokens?: "auto" | "exact" | "text";
  /** Where a branch finds the steps before its own. */
  readonly forest?: Forest;
}

export interface CloningRows {
  readonly rows: readonly TrainRow[];
  readonly source: "exact" | "text";
  /** Rows that were cut. */
  readonly cut: number;
  /** Rows that held nothing to train on, or nothing any more after the cut. */
  readonly empty: number;
}

/**
 * The rows of one trajectory, and how many were cut or left out.
 *
 * @example
 * import { bundledModel, requireTokenizer } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("household"));
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1, group: 1 });
 * const options = { tokenizer: requireTokenizer(model), chat: model.chat, vocabularySize: model.config.vocabularySize, maxTokens: 1000 };
 * for (const trajectory of trajectories) {
 *   const { rows, source, cut } = buildCloningRows(trajectory, options);
 *   console.log(rows.length, source, cut); // 1 text 0
 * }
 * await model.close();
 */
export function buildCloningRows(trajectory: Trajectory, options: CloningOptions): CloningRows {
  const { tokens = "auto" } = options;
  const exact = tokens === "exact" || (tokens === "auto" && agrees(trajectory, options));
  if (tokens === "exact" && trajectory.streams.length === 0) {
    throw new EngineError(
      "no-tokens",
      `Trajectory "${trajectory.id}" holds no tokens; train on its text, or leave it out.`,
    );
  }
  const whole = exact ? fromStreams(trajectory, options.forest) : fromText(trajectory, options);
  let cut = 0;
  const rows = whole.flatMap((row) => {
    const fits = row.ids.length <= options.maxTokens;
    if (!fits) cut += 1;
    const kept = fits ? row : shortened(row, options.maxTokens);
    return kept.mask.some((on, at) => on === 1 && at > 0) ? [kept] : [];
  });
  return { rows, source: exact ? "exact" : "text", cut, empty: whole.length - rows.length };
}

/** Tokens of another model's vocabulary would teach nonsense in silence, so each response is read back and compared. */
function agrees({ streams, steps }: Trajectory, { tokenizer, vocabularySize }: CloningOptions): boolean {
  if (streams.length === 0) return false;
  if (streams.some(({ ids }) => ids.some((id) => id < 0 || id >= vocabularySize))) return false;
  const spans = steps.filter(({ span, action }) => span !== undefined && action.trim() !== "");
  return (
    spans.length > 0 &&
    spans.every(({ span, action, reply }) => {
      const ids = streams[span?.stream ?? 0]?.ids.subarray(span?.start, span?.end) ?? [];
      const said = tokenizer.decode(ids);
      const wanted = typeof reply?.content === "string" && reply.content.trim() !== "" ? reply.content : action;
      return said.includes(wanted.trim());
    })
  );
}

/** A branch with what it had read before it left: its own tokens alone would be answers to nothing. */
function fromStreams(trajectory: Trajectory, forest: Forest | undefined): TrainRow[] {
  const { id, group, parent, streams } = trajectory;
  const whole = parent === undefined ? streams : wholeStreams(forestOf(trajectory, forest), trajectory);
  return whole.map(({ ids, mask, weights }) => ({
    ids,
    mask,
    trajectory: id,
    group,
    ...(weights === undefined ? {} : { weights: Float64Array.from(weights) }),
  }));
}

function fromText(trajectory: Trajectory, options: CloningOptions): TrainRow[] {
  const { chat } = options;
  if (chat === undefined) {
    throw new EngineError(
      "missing-chat-template",
      `Trajectory "${trajectory.id}" has no tokens of this model, and the model has no chat template to write its text out. Add "chat_template" to its tokenizer_config.json.`,
    );
  }
  const { parent, tools } = trajectory;
  const steps =
    parent === undefined ? trajectory.steps : episodeSteps(forestOf(trajectory, options.forest), trajectory.id);
  const template = tools === undefined ? {} : { tools };
  const row = (encoded: { readonly ids: Int32Array; readonly mask: Uint8Array }): TrainRow => ({
    ...encoded,
    trajectory: trajectory.id,
    group: trajectory.group,
  });
  const plainCalls = !rendersCalls(chat, steps);
  const messages = steps.map((step) => stepMessages(step, plainCalls));
  // Steps before a branch belong to its parent, which trains on them itself.
  const first = steps.length - trajectory.steps.length;
  const perReply = (): TrainRow[] =>
    messages.slice(first).map((_, at) => {
      const history = messages.slice(0, first + at + 1).flat();
      return row(chat.encode(history, { ...template, replies: "last" }));
    });
  if (steps.length === 0) return [];
  if (first > 0) return perReply();
  try {
    return [row(chat.encode(messages.flat(), template))];
  } catch (error) {
    // Templates that drop the reasoning of earlier turns: then every reply is a row of its own, as the model would see it.
    if (errorCode(error) === "template-rewrites-history") return perReply();
    throw error;
  }
}

function forestOf({ id }: Trajectory, forest: Forest | undefined): Forest {
  if (forest !== undefined) return forest;
  throw new EngineError(
    "parent-missing",
    `Trajectory "${id}" is a branch; the steps before it are needed. Give the whole forest.`,
  );
}

/** A template that knows no tool calls would leave them out, and train the model to answer with nothing. */
function rendersCalls(chat: Chat, steps: readonly Step[]): boolean {
  const calls = steps.some(({ messages = [], reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])].some(({ toolCalls = [] }) => toolCalls.length > 0),
  );
  if (!calls) return true;
  const probe = { id: "probe", type: "function", function: { name: "probe_of_calls", arguments: {} } };
  const rendered = chat.render([
    { role: "user", content: "?" },
    { role: "assistant", content: "", tool_calls: [probe] },
  ]);
  return rendered.includes("probe_of_calls");
}

/** What was new to the model at a step, and its reply. Where there was no chat, the observation and the action. */
function stepMessages({ messages, observation, reply, action }: Step, plainCalls: boolean): ChatMessage[] {
  const read: readonly Message[] = messages ?? (observation === "" ? [] : [{ role: "user", content: observation }]);
  return [...read, reply ?? ({ role: "assistant", content: action } as const)].map((message) =>
    templateMessage(message, plainCalls),
  );
}

/** A message under the names that chat templates read. Plain calls are lines of text: `name(arguments)`. */
function templateMessage(message: Message, plainCalls: boolean): ChatMessage {
  const { role, content, name, reasoning, toolCalls = [], toolCallId } = message;
  const text =
    typeof content === "string"
      ? content
      : content.flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : [])).join("\n");
  return {
    role,
    content: plainCalls ? [...(text === "" ? [] : [text]), ...toolCalls.map(plainCall)].join("\n") : text,
    ...withoutUndefined({ name, reasoning_content: reasoning, tool_call_id: toolCallId }),
    ...(plainCalls || toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map((call) => ({
            id: call.id,
            type: "function",
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
  };
}

function plainCall({ name, arguments: given }: ToolCall): string {
  return `${name}(${typeof given === "string" ? given : JSON.stringify(given)})`;
}

function shortened(row: TrainRow, length: number): TrainRow {
  return {
    ...row,
    ids: row.ids.slice(0, length),
    mask: row.mask.slice(0, length),
    ...(row.weights === undefined ? {} : { weights: row.weights.slice(0, length) }),
  };
}
