import { beforeAll, describe, expect, test } from "vitest";
import { tinyTokenizer } from "../../../../test/support/tiny-folder.ts";
import { createChat } from "limbeck-policy/policy/local/chat-template";
import { createTokenizer, type Tokenizer } from "limbeck-policy/policy/local/tokenizer";
import { createForest } from "limbeck-base/trajectory/forest";
import { unscored } from "limbeck-base/trajectory/score";
import type { Message, Step, TokenStream, Trajectory } from "limbeck-base/trajectory/trajectory";
import { buildCloningRows, type CloningOptions } from "./cloning-rows.ts";

let options: CloningOptions;
let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await createTokenizer(tinyTokenizer);
  options = { tokenizer, chat: await createChat(tokenizer), vocabularySize: 288, maxTokens: 200 };
});

const step = (index: number, observation: string, action: string, more: Partial<Step> = {}): Step => ({
  index,
  observation,
  stateKey: observation,
  action,
  valid: true,
  reward: unscored("nobody asked"),
  ...more,
});

const trajectory = (steps: readonly Step[], more: Partial<Trajectory> = {}): Trajectory => ({
  id: "one",
  task: { id: "task", env: "talk", seed: 0, goal: "", split: "train" },
  group: "task",
  steps,
  streams: [],
  ending: "terminated",
  reward: unscored("nobody asked"),
  success: null,
  rewards: [],
  policy: { name: "someone" },
  ...more,
});

/** What is trained on, each run of tokens as text. */
function trained({ ids, mask }: { ids: Int32Array; mask: Uint8Array }): string[] {
  const parts: number[][] = [];
  ids.forEach((id, at) => {
    if (mask[at] !== 1) return;
    if (mask[at - 1] === 1) parts.at(-1)?.push(id);
    else parts.push([id]);
  });
  return parts.map((part) => tokenizer.decode(part));
}

describe("text", () => {
  test("the replies are trained on with their end, nothing else is", () => {
    const { rows, source } = buildCloningRows(
      trajectory([step(0, "say yes", "yes"), step(1, "say no", "no")]),
      options,
    );
    expect([rows.length, source]).toEqual([1, "text"]);
    const [row] = rows as [(typeof rows)[0]];
    expect(tokenizer.decode(row.ids)).toBe(
      "<|im_start|>user\nsay yes<|im_end|>\n<|im_start|>assistant\nyes<|im_end|>\n" +
        "<|im_start|>user\nsay no<|im_end|>\n<|im_start|>assistant\nno<|im_end|>\n",
    );
    expect(trained(row)).toEqual(["yes<|im_end|>", "no<|im_end|>"]);
    expect(row.trajectory).toBe("one");
  });

  test("messages of a chat come before the observation, and a special token in them stays text", () => {
    const messages: Message[] = [
      { role: "system", content: "the cat" },
      { role: "user", content: [{ type: "text", text: "sat<|im_end|>" }] },
    ];
    const reply: Message = { role: "assistant", content: "on the mat" };
    const { rows } = buildCloningRows(trajectory([step(0, "unused", "unused", { messages, reply })]), options);
    const [row] = rows as [(typeof rows)[0]];
    expect(tokenizer.decode(row.ids)).toContain("<|im_start|>system\nthe cat<|im_end|>");
    expect(trained(row)).toEqual(["on the mat<|im_end|>"]);
    // Three turns end; the fourth mention was said, not meant.
    expect(row.ids.filter((id) => id === tokenizer.idOf("<|im_end|>"))).toHaveLength(3);
  });

  test("tool calls are written by the template, or as text where it knows none; never left out", async () => {
    const toolCalls = [{ id: "c1", name: "search", arguments: { q: "shoes" } }];
    const reply: Message = { role: "assistant", content: "", toolCalls };
    const calling = trajectory([step(0, "say yes", "search", { reply })]);
    const chatml = buildCloningRows(calling, options).rows[0];
    expect(trained(chatml as NonNullable<typeof chatml>)).toEqual(['search({"q":"shoes"})<|im_end|>']);
    const template =
      "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}{% for call in message.tool_calls or [] %}" +
      "[call {{ call.function.name }} {{ call.function.arguments | tojson }}]{% endfor %}<|im_end|>\n{% endfor %}" +
      "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
    const knowing = await createTokenizer({ ...tinyTokenizer, chatTemplate: template });
    const { rows } = buildCloningRows(calling, { ...options, chat: await createChat(knowing) });
    expect(rows.map((row) => trained(row))).toEqual([['[call search {"q": "shoes"}]<|im_end|>']]);
  });

  test("a branch trains on its own replies only, after the steps it shares", () => {
    const root = trajectory([step(0, "say yes", "yes"), step(1, "say no", "no")]);
    const branch = trajectory([step(1, "say no", "the dog")], { id: "two", parent: { trajectory: "one", step: 1 } });
    const { rows } = buildCloningRows(branch, { ...options, forest: createForest([root, branch]) });
    expect(rows.map((row) => trained(row))).toEqual([["the dog<|im_end|>"]]);
    expect(tokenizer.decode(rows[0]?.ids ?? [])).toContain("assistant\nyes<|im_end|>");
    expect(() => buildCloningRows(branch, options)).toThrow(/is a branch/);
  });

  test("long rows are cut, and what then holds nothing is left out", () => {
    const long = trajectory([step(0, "say yes", "yes"), step(1, "the cat sat on the mat", "no")]);
    const whole = buildCloningRows(long, options).rows[0]?.ids.length ?? 0;
    const cut = buildCloningRows(long, { ...options, maxTokens: whole - 4 });
    expect([cut.cut, cut.empty, cut.rows[0]?.ids.length]).toEqual([1, 0, whole - 4]);
    expect(buildCloningRows(long, { ...options, maxTokens: 3 })).toMatchObject({ rows: [], cut: 1, empty: 1 });
    expect(buildCloningRows(trajectory([]), options).rows).toEqual([]);
  });

  test("without a template the way out is named", () => {
    const plain = trajectory([step(0, "say yes", "yes")]);
    expect(() => buildCloningRows(plain, { ...options, chat: undefined })).toThrow(/"chat_template"/);
  });
});

describe("exact tokens", () => {
  const stream = (said: string, weights?: number[]): TokenStream => {
    const [read, spoken] = [tokenizer.encode("say "), tokenizer.encode(said)];
    return {
      ids: Int32Array.of(...read, ...spoken),
      mask: Uint8Array.of(...Array.from(read, () => 0), ...Array.from(spoken, () => 1)),
      ...(weights === undefined ? {} : { weights: Float32Array.from(weights) }),
    };
  };
  const recorded = (said: string, action: string): Trajectory => {
    const tokens = stream(said);
    const span = { stream: 0, start: tokenizer.encode("say ").length, end: tokens.ids.length };
    return trajectory([step(0, "say yes", action, { span })], { streams: [tokens] });
  };

  test("are used as they are where they say what the text says", () => {
    const taken = recorded("yes", "yes");
    const { rows, source } = buildCloningRows(taken, options);
    expect(source).toBe("exact");
    expect([rows[0]?.ids, rows[0]?.mask]).toEqual([taken.streams[0]?.ids, taken.streams[0]?.mask]);
    expect(buildCloningRows(taken, { ...options, tokens: "text" }).source).toBe("text");
  });

  test("of a branch come after what its parent had read when it left", () => {
    const root = recorded("yes", "yes");
    const spoken = tokenizer.encode("yes");
    // The branch answers the same question anew: its own stream holds the answer alone.
    const own = { ids: Int32Array.of(...spoken), mask: Uint8Array.of(...Array.from(spoken, () => 1)) };
    const branch = trajectory([step(0, "say yes", "yes", { span: { stream: 0, start: 0, end: spoken.length } })], {
      id: "two",
      parent: { trajectory: "one", step: 0 },
      streams: [own],
    });
    const { rows, source } = buildCloningRows(branch, { ...options, forest: createForest([root, branch]) });
    expect([source, rows[0]?.ids, rows[0]?.mask]).toEqual(["exact", root.streams[0]?.ids, root.streams[0]?.mask]);
    expect(() => buildCloningRows(branch, options)).toThrow(/is a branch/);
  });

  test("of another vocabulary are not trusted unless asked for", () => {
    const other = recorded("no", "yes");
    expect(buildCloningRows(other, options).source).toBe("text");
    expect(buildCloningRows(other, { ...options, tokens: "exact" }).source).toBe("exact");
    const outside = { ...recorded("yes", "yes"), streams: [{ ids: Int32Array.of(1, 999), mask: Uint8Array.of(0, 1) }] };
    expect(buildCloningRows(outside, options).source).toBe("text");
    expect(() => buildCloningRows(trajectory([]), { ...options, tokens: "exact" })).toThrow(/holds no tokens/);
  });
});
