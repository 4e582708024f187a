import { expect, test } from "vitest";
import { corridorDialect as dialect, corridorEpisodes } from "../../../../test/support/recipe-bench.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { withoutHint } from "./without-hint.ts";

/** The episode as it would look had something been said before it. */
function hinted(trajectory: Trajectory, hint: string): Trajectory {
  const [stream] = trajectory.streams;
  const [first] = trajectory.steps;
  if (stream === undefined || first?.span === undefined) throw new Error("no tokens");
  const opening = dialect.opening(`${first.observation} ${hint}`);
  const shift = opening.length - first.span.start;
  const rest = stream.ids.subarray(first.span.start);
  const mask = new Uint8Array(opening.length + rest.length);
  mask.set(stream.mask.subarray(first.span.start), opening.length);
  return {
    ...trajectory,
    streams: [{ ids: Int32Array.from([...opening, ...rest]), mask, logprobs: new Float32Array(mask.length) }],
    steps: trajectory.steps.map(({ span, ...step }) => ({
      ...step,
      ...(span === undefined ? {} : { span: { stream: 0, start: span.start + shift, end: span.end + shift } }),
    })),
  };
}

test("taking out a hint gives back the tokens of the episode without it", async () => {
  for (const episode of (await corridorEpisodes("one")).slice(0, 6)) {
    const plain = withoutHint(hinted(episode, "go east, they say"), dialect);
    const [own] = episode.streams;
    expect(plain?.streams).toEqual([{ ids: own?.ids, mask: own?.mask }]);
    expect(plain?.steps.map(({ span }) => span)).toEqual(episode.steps.map(({ span }) => span));
    expect(plain?.reward).toEqual(episode.reward);
  }
});

test("an episode without tokens cannot be retold", async () => {
  const [episode] = await corridorEpisodes("one");
  const bare = { ...(episode as Trajectory), streams: [], steps: [] };
  expect(withoutHint(bare, dialect)).toBeUndefined();
});
