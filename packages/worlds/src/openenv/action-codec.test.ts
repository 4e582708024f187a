import { expect, test } from "vitest";
import { HOSTILE_ACTIONS } from "limbeck-core/env/check-play";
import { actionCodec } from "./action-codec.ts";

const object = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: "object",
  properties: { ...properties, metadata: { type: "object" } },
  required,
});

test("one field of text takes the text as it is", () => {
  const codec = actionCodec(object({ message: { type: "string" } }));
  expect(codec.encode('{"a": 1}')).toEqual({ ok: true, data: { message: '{"a": 1}' } });
  expect([codec.tools, codec.choices]).toEqual([undefined, undefined]);
});

test("an enumeration is a list of choices, through a reference too", () => {
  const schema = {
    ...object({ move: { $ref: "#/$defs/Move" } }),
    $defs: { Move: { enum: ["UP", "DOWN"], type: "string" } },
  };
  const codec = actionCodec(schema);
  expect(codec.choices).toEqual(["UP", "DOWN"]);
  expect(codec.encode("UP")).toEqual({ ok: true, data: { move: "UP" } });
});

test("a schema that refers to itself is an object like any other", () => {
  const schema = { ...object({ move: { $ref: "#/$defs/A" } }), $defs: { A: { $ref: "#/$defs/A" } } };
  expect(actionCodec(schema).kind).toBe("object");
});

test("one field of a number reads a number", () => {
  const whole = actionCodec(object({ action_id: { type: "integer" }, game: { type: "string" } }), "action_id");
  expect(whole.encode(" 4 ")).toEqual({ ok: true, data: { action_id: 4 } });
  expect([whole.encode("4.5").ok, whole.encode("four").ok, whole.encode("1e999").ok]).toEqual([false, false, false]);
  const any = actionCodec(object({ force: { anyOf: [{ type: "number" }, { type: "null" }] } }));
  expect(any.encode("-0.5")).toEqual({ ok: true, data: { force: -0.5 } });
});

test("several fields are a JSON object, bare, fenced or as a call, checked by name", () => {
  const codec = actionCodec(object({ x: { type: "integer" }, y: { type: "integer" } }, ["x"]));
  const wanted = { ok: true, data: { x: 1, y: 2 } };
  expect(codec.encode('{"x": 1, "y": 2}')).toEqual(wanted);
  expect(codec.encode('```json\n{"x": 1, "y": 2}\n```')).toEqual(wanted);
  expect(codec.encode('{"name": "act", "arguments": {"x": 1, "y": 2}}')).toEqual(wanted);
  expect(codec.encode('{"y": 2}')).toEqual({ ok: false, why: expect.stringContaining('"x" is missing') });
  expect(codec.encode('{"x": 1, "z": 2}')).toEqual({ ok: false, why: expect.stringContaining('no field "z"') });
  expect(codec.tools?.[0]).toMatchObject({ type: "function", function: { name: "act" } });
});

test("tools take calls", () => {
  const codec = actionCodec(object({ type: {}, tool_name: { type: "string" }, arguments: { type: "object" } }));
  const call = { type: "call_tool", tool_name: "echo", arguments: { text: "hi" } };
  expect(codec.encode('{"name": "echo", "arguments": {"text": "hi"}}')).toEqual({ ok: true, data: call });
  expect(codec.encode("echo hi").ok).toBe(false);
});

test.each(HOSTILE_ACTIONS.map((text) => [text.slice(0, 20), text]))("hostile text %j does no harm", (_, text) => {
  const schemas = [object({ x: {}, y: {} }), object({ tool_name: {}, arguments: {} })];
  const read = schemas.map((schema) => actionCodec(schema).encode(text));
  // A call of something like "toString" is a call; the server will say that it has no such tool.
  const called = text.includes("toString") ? ["toString"] : [];
  expect(read.flatMap((one) => (one.ok ? [one.data["tool_name"]] : []))).toEqual(called);
});
