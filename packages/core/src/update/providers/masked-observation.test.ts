import { expect, test } from "vitest";
import { tryProvider, walkerDialect } from "../../../../../test/support/provider-bench.ts";

test("steps after the first are scored with their last observation replaced", async () => {
  const { batch, asked, episodes } = await tryProvider("masked-observation", {
    credit: "infopo",
    script: () => "go east",
    size: 1,
  });
  const [first, second] = batch.rows;
  expect(first?.logprobs?.withoutObservation).toBeUndefined();
  const [stream] = episodes[0]?.streams ?? [];
  const [one, two] = episodes[0]?.steps ?? [];
  const answer = stream?.ids.slice(two?.span?.start, two?.span?.end) ?? new Int32Array();
  // "Room 2." has fewer letters than the sentence, which is cut to its length.
  const mask = walkerDialect.turn("Nothing", { cut: false });
  const wanted = [...(stream?.ids.slice(0, one?.span?.end) ?? []), ...mask, ...answer];
  expect(wanted).toHaveLength(two?.span?.end ?? 0);
  expect([...(asked[0]?.ids ?? [])]).toEqual(wanted);
  // A token with n tokens before it has -n/100.
  const start = wanted.length - answer.length;
  const expected = Array.from(answer, (_, at) => -(start + at) / 100);
  [...(second?.logprobs?.withoutObservation ?? [])].forEach((value, at) => {
    expect(value).toBeCloseTo(expected[at] as number, 6);
  });
});
