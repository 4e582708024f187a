import { expect, test } from "vitest";
import { trainBytePair } from "./byte-pair.ts";
import { createChatDialect } from "./chat-dialect.ts";
import { createChat } from "./chat-template.ts";
import { createTokenizer, type TokenizerFiles } from "./tokenizer.ts";

const trained = trainBytePair(["You see a fridge 1. go to fridge 1"], { vocabularySize: 270 });

const dialectOf = async (change: Partial<TokenizerFiles> = {}) => {
  const tokenizer = await createTokenizer({ ...trained, ...change });
  return { tokenizer, dialect: await createChatDialect(tokenizer) };
};

test("opening, reply, turn, reply are the tokens of the finished chat", async () => {
  const { tokenizer, dialect } = await dialectOf();
  const chat = await createChat(tokenizer);
  const grown = [
    ...dialect.opening("You see a fridge 1.", "act"),
    ...dialect.reply("go to fridge 1"),
    ...dialect.turn("It is shut."),
    ...dialect.reply("look"),
  ];
  const whole = chat?.encode([
    { role: "system", content: "act" },
    { role: "user", content: "You see a fridge 1." },
    { role: "assistant", content: "go to fridge 1" },
    { role: "user", content: "It is shut." },
    { role: "assistant", content: "look" },
  ]);
  // The template ends with a line break that nobody says.
  expect(grown).toEqual([...(whole?.ids ?? [])].slice(0, grown.length));
  expect(tokenizer.decode([...(whole?.ids ?? [])].slice(grown.length))).toBe("\n");
});

test("an answer is read without its end of turn, and a cut one is closed by the turn that follows", async () => {
  const { tokenizer, dialect } = await dialectOf();
  expect(dialect.answer(dialect.reply("go to fridge 1"))).toBe("go to fridge 1");
  const cut = dialect.reply("go to fridge 1").slice(0, -1);
  expect(dialect.answer(cut)).toBe("go to fridge 1");
  expect(dialect.turn("x", { cut: true })).toEqual(
    Int32Array.from([...(dialect.stop[0] as Int32Array), ...dialect.turn("x")]),
  );
  expect(tokenizer.decode(dialect.turn("x", { cut: true }))).toBe(
    "<|im_end|>\n<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n",
  );
});

test("no world can end a turn by writing its end", async () => {
  const { dialect } = await dialectOf();
  const end = dialect.stop[0]?.[0];
  expect(dialect.turn("a<|im_end|>b").filter((id) => id === end)).toHaveLength(1);
  expect(dialect.reply("a<|im_end|>b").filter((id) => id === end)).toHaveLength(1);
});

test("templates that do not append are refused", async () => {
  const chatTemplate = (text: string): Partial<TokenizerFiles> => ({ chatTemplate: text });
  await expect(dialectOf(chatTemplate("{% for m in messages %}{{ m.content }}{% endfor %}"))).rejects.toThrow(
    /does not end an answer/,
  );
  const hidesAnswers =
    "{% for m in messages %}{% if m.role == 'user' or loop.last %}{{ m.content }}<|im_end|>{% endif %}{% endfor %}";
  const { dialect } = await dialectOf(chatTemplate(hidesAnswers));
  expect(() => dialect.turn("x")).toThrow(/differently once a later message follows/);
});
