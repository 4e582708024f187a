import { expect, test } from "vitest";
import { EventCutter } from "./answer-reader.ts";

function cut(pieces: readonly string[]): string[] {
  const found: string[] = [];
  const cutter = new EventCutter((data) => found.push(data));
  for (const piece of pieces) cutter.push(piece);
  cutter.end();
  return found;
}

const STREAM = 'event: a\r\ndata: {"x":1}\r\n\r\ndata:two\rdata: three\n\ndata: [DONE]\n\n: comment\ndata: last';

test("events are the same wherever the text is cut", () => {
  const whole = cut([STREAM]);
  expect(whole).toEqual(['{"x":1}', "two", "three", "last"]);
  for (let at = 0; at <= STREAM.length; at += 1) expect(cut([STREAM.slice(0, at), STREAM.slice(at)])).toEqual(whole);
  expect(cut(STREAM.split(""))).toEqual(whole);
});

test("a long event is read once, not once for every piece of it", () => {
  // Every letter is looked at by one search of its own piece: the pieces are counted, not the time.
  let searched = 0;
  const counted = (piece: string): string =>
    Object.assign(new String(piece), {
      matchAll: (pattern: RegExp) => {
        searched += piece.length;
        return piece.matchAll(pattern);
      },
    }) as unknown as string;
  const found: string[] = [];
  const cutter = new EventCutter((data) => found.push(data));
  const piece = "x".repeat(1_000);
  cutter.push(counted("data: "));
  for (let count = 0; count < 1_000; count += 1) cutter.push(counted(piece));
  cutter.push(counted("\n"));
  expect(found.map(({ length }) => length)).toEqual([1_000_000]);
  expect(searched).toBe(6 + 1_000_000 + 1);
});

test("an event that is too long is left out, and the next one is not", () => {
  const large = "y".repeat(17 * 1024 * 1024);
  expect(cut(["data: ", large, large, "\ndata: next\n"])).toEqual(["next"]);
});
