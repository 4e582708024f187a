import fc from "fast-check";
import { expect, test } from "vitest";
import { createStreamParser } from "./stream.ts";

const TEXT =
  ': a comment\n\nevent: hello\nid: 3\ndata: {"a":1}\n\ndata: one\r\ndata:two\r\n\r\nevent: lost\n\nid: 4\ndata: x\n\n';
const MESSAGES = [
  { event: "hello", id: "3", data: '{"a":1}' },
  { event: "message", id: "3", data: "one\ntwo" },
  { event: "message", id: "4", data: "x" },
];

test("messages are read as they were sent, in however many pieces they come", () => {
  expect(createStreamParser()(TEXT)).toEqual(MESSAGES);
  fc.assert(
    fc.property(fc.array(fc.nat(TEXT.length)), (cuts) => {
      const parse = createStreamParser();
      const places = [0, ...cuts.sort((left, right) => left - right), TEXT.length];
      const messages = places.slice(1).flatMap((end, at) => parse(TEXT.slice(places[at], end)));
      expect(messages).toEqual(MESSAGES);
    }),
  );
});

test("what is not complete is kept", () => {
  const parse = createStreamParser();
  expect(parse("data: hal")).toEqual([]);
  expect(parse("f\n")).toEqual([]);
  expect(parse("\n")).toEqual([{ event: "message", id: undefined, data: "half" }]);
});
