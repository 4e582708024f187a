import { expect, test } from "vitest";
import { refuseFarIds } from "./refuse-far-ids.ts";

const vocabulary = (vocab: unknown): { readonly model: unknown } => ({ model: { vocab } });

test.each([2 ** 31, 2 ** 24, -1, 0.5])("an id of %d is refused by name", (id) => {
  expect(() => refuseFarIds(vocabulary({ a: 0, far: id }), "tokenizer.json")).toThrowError(
    `tokenizer.json: the token "far" has the id ${id}; ids are whole numbers from 0 to 16777215.`,
  );
});

test("an added token too", () => {
  const added = { ...vocabulary({ a: 0 }), added_tokens: [{ id: 1e9, content: "<far>" }] };
  expect(() => refuseFarIds(added, "tokenizer.json")).toThrowError('the token "<far>" has the id 1000000000');
});

test.each([{ a: 0, b: 16_777_215 }, [["piece", -1.5]], undefined])("others are not looked at or fine", (vocab) => {
  refuseFarIds(vocabulary(vocab), "tokenizer.json");
});
