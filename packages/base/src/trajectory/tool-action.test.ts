import fc from "fast-check";
import { expect, test } from "vitest";
import { anyLetter } from "../../../../test/support/any-letter.ts";
import { callAction, parseAction } from "./tool-action.ts";

const CALL = { kind: "call", name: "f", arguments: { a: 1 } };

test.each([
  ['{"name": "f", "arguments": {"a": 1}}', CALL],
  ['  <tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>', CALL],
  ['I will look. <tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>', CALL],
  ['```json\n{"name": "f", "arguments": {"a": 1}}\n```', CALL],
  ['{"name": "f"}', { kind: "call", name: "f", arguments: {} }],
  ['{"name": "respond", "arguments": {"content": " Hello. "}}', { kind: "message", text: "Hello." }],
  [
    `{"name": "f", "arguments": {"a": "${"[".repeat(99)}\\"${"{".repeat(99)}"}}`,
    { kind: "call", name: "f", arguments: { a: `${"[".repeat(99)}"${"{".repeat(99)}` } },
  ],
  ["Good day", { kind: "message", text: "Good day" }],
  ["您好", { kind: "message", text: "您好" }],
])("reads %j", (action, expected) => expect(parseAction(action)).toEqual(expected));

test.each([
  "",
  " \n ",
  "\u0000\u001b",
  "{",
  '{"name": 1}',
  '{"arguments": {}}',
  "[1]",
  '{"name": "f", "arguments": [1]}',
  '{"name": "f", "arguments": "no"}',
  '{"name": "respond", "arguments": {}}',
  "<tool_call>{}",
  "<tool_call>no</tool_call>",
  '<tool_call>{"name":"f"}</tool_call><tool_call>{"name":"g"}</tool_call>',
  "a".repeat(200_001),
  `{"name": "f", "arguments": {"a": ${"[".repeat(50_000)}${"]".repeat(50_000)}}}`,
  `{"name": "f", "arguments": ${JSON.stringify(`{"a": ${"[".repeat(30)}${"]".repeat(30)}}`)}}`,
])("refuses %j", (action) => expect(parseAction(action).kind).toBe("malformed"));

test("whatever is written as a call is read as it was written", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
      (name, args) => {
        fc.pre(
          name !== "respond" &&
            !JSON.stringify({ name, args }).includes("tool_call>") &&
            !("__proto__" in args && Object.hasOwn(args, "__proto__")),
        );
        expect(parseAction(callAction(name, args))).toEqual({ kind: "call", name, arguments: args });
      },
    ),
  );
});

test("never throws", () => {
  fc.assert(fc.property(fc.string({ unit: anyLetter, maxLength: 500 }), (text) => void parseAction(text)));
});
