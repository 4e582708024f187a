import { expect, test } from "vitest";
import { sampleUntil } from "./stop-strings.ts";
const letters = (ids: readonly number[]): string => String.fromCharCode(...ids);

/** Says these letters, one after the other. */
function saying(text: string) {
  let at = 0;
  return {
    sample: () => {
      const ids = Int32Array.of(text.charCodeAt(at));
      at += 1;
      const numbers = Float32Array.of(-at);
      return Promise.resolve({
        ids,
        logprobs: numbers,
        sampledLogprobs: numbers,
        version: 3,
        ending: "length" as const,
      });
    },
  };
}

test("it ends after the token with which a text is there, and keeps what belongs to each token", async () => {
  const said = await sampleUntil(saying("abcdefgh"), { maxTokens: 8 }, { texts: ["xx", "cd"], decode: letters });
  expect([letters([...said.ids]), said.ending, said.version]).toEqual(["abcd", "stop", 3]);
  expect([...said.logprobs]).toEqual([-1, -2, -3, -4]);
});

test("it ends at its length too, and at stop tokens of several ids", async () => {
  const texts = { texts: ["never"], decode: letters };
  expect((await sampleUntil(saying("abcdef"), { maxTokens: 3 }, texts)).ending).toBe("length");
  const stop = [[98, 99]];
  const said = await sampleUntil(saying("abcdef"), { maxTokens: 6, stop }, texts);
  expect([letters([...said.ids]), said.ending]).toEqual(["abc", "stop"]);
});
