import { expect, test } from "vitest";
import { boundedText } from "./http.ts";

/** An answer in these pieces, and whether the rest of it was still wanted. */
function answer(...pieces: readonly Uint8Array[]): { readonly response: Response; readonly cut: () => boolean } {
  let cut = false;
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const piece = left.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      cancel: () => {
        cut = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body), cut: () => cut };
}

test("letters that pieces cut in two come whole", async () => {
  const bytes = new TextEncoder().encode("é€");
  // Two bytes and three bytes, parted inside both letters.
  const { response } = answer(bytes.slice(0, 1), bytes.slice(1, 3), bytes.slice(3));
  expect(await boundedText(response, 5)).toBe("é€");
});

test("one byte too many is refused and the rest is not read; nothing at all is an empty text", async () => {
  const { response, cut } = answer(Uint8Array.of(97, 98), Uint8Array.of(99), Uint8Array.of(100));
  expect(await boundedText(response, 2)).toBeUndefined();
  expect(cut()).toBe(true);
  expect(await boundedText(new Response(null), 0)).toBe("");
});
