/** The brake on rows that are made by hand: what it slows, what it ends, what it lets go. */
import { expect, test } from "vitest";
import { sampleTrajectory } from "../../../../test/support/samples.ts";
import { brake, distanceFrom, fallen, rateLeft, RELEASED, type BrakeRow } from "./brake.ts";

type Row = Partial<BrakeRow>;
type Validations = Parameters<typeof brake>[2];

/** For each update what is said, or that it ends, and what is left of the rate. */
function braked(rows: readonly Row[], validations: (update: number) => Validations = () => []): string[] {
  let state = RELEASED;
  return rows.map((row, at) => {
    const update = at + 1;
    const seen = brake(state, { update, success: 0.1, entropy: 0.5, ...row }, validations(update));
    // As a checkpoint would bring it back.
    state = JSON.parse(JSON.stringify(seen.state)) as typeof state;
    const what = seen.ends === undefined ? (seen.message ?? "") : `ENDS ${seen.ends}`;
    return `${rateLeft(state)} ${what}`.trim();
  });
}

const times = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

test("entropy that goes while success does not rise: slowed, then ended three updates later", () => {
  const rows = [
    { entropy: 0.5, success: 0.06 },
    { entropy: 0.2, success: 0.08 },
    ...times(8, { entropy: 0.01, success: 0.01 }),
  ];
  const said = braked(rows);
  // First three: (0.06 + 0.08 + 0.01) / 3 = 0.05. The last three have a mean entropy below 0.05 from update 5 on: at
  // update 4 it is (0.2 + 0.01 + 0.01) / 3 = 0.073.
  expect(said.slice(0, 4)).toEqual(["1", "1", "1", "1"]);
  expect(said[4]).toBe(
    "0.3 The brake, after update 5: success of the last 3 updates is 0.01 and was 0.05 in the first, and the policy hardly tries anything new: its entropy fell from 0.500 to 0.01000 nats. From here on the learning rate is 0.3 of its own; where this lasts, the training ends.",
  );
  expect(said.slice(5, 7)).toEqual(["0.3", "0.3"]);
  expect(said[7]).toContain("0.3 ENDS The brake, after update 8: success of the last 3 updates is 0.01");
  expect(said[7]).toContain("slowing since update 5 has not helped. The training ends.");
});

test("entropy that goes where success rises is learning", () => {
  const rows = Array.from({ length: 12 }, (_, at) => ({ entropy: 0.5 * 0.5 ** at, success: 0.1 + 0.05 * at }));
  expect(new Set(braked(rows))).toEqual(new Set(["1"]));
});

test("far from the start without a rise: slowed, and let go when success rises", () => {
  const rows = [
    ...times(3, { distance: 0.1 }),
    ...times(3, { distance: 1.3 }),
    ...times(5, { distance: 1.3, success: 0.5 }),
  ];
  const said = braked(rows);
  expect(said[4]).toBe("1"); // (0.1 + 1.3 + 1.3) / 3 = 0.9
  expect(said[5]).toContain(
    "0.3 The brake, after update 6: success of the last 3 updates is 0.10 and was 0.10 in the first, and the policy is 1.30 nats a token from its start.",
  );
  // Risen from update 7 on; after three such updates its own rate is back.
  expect(said.slice(6)).toEqual([
    "0.3",
    "0.3",
    "1 The brake, after update 9: nothing was wrong for 3 updates. The learning rate is its own again.",
    "1",
    "1",
  ]);
});

const validation = (update: number, success: number | null, low = 0, high = 1) => ({
  update,
  evaluation: { success, low, high },
});

test("validation surely below the start's slows; the next one that is ends", () => {
  // The interval of the difference: 0.5 - 0.2 = 0.3 against the root of 0.1^2 + 0.2^2 = 0.224.
  const start = validation(0, 0.5, 0.4, 0.6);
  const poor = (update: number) => validation(update, 0.2, 0.1, 0.4);
  const seen = (update: number): Validations => [start, poor(2), poor(6)].filter((one) => one.update < update);
  const said = braked(times(7, {}), seen);
  expect(said[2]).toContain(
    "0.3 The brake, after update 3: validation success is 0.20 and was 0.50 at the start, which is more than chance.",
  );
  // The same validation does not count twice.
  expect(said.slice(3, 6)).toEqual(["0.3", "0.3", "0.3"]);
  expect(said[6]).toContain("ENDS The brake, after update 7: validation success is 0.20");
});

test("what chance explains, no figure, and a run without a start's validation say nothing", () => {
  const start = validation(0, 0.5, 0.3, 0.7);
  expect(fallen([start, validation(5, 0.3, 0.1, 0.5)])).toBeUndefined(); // 0.2 < root of 0.2^2 + 0.2^2
  expect(fallen([start, validation(5, null)])).toBeUndefined();
  expect(fallen([validation(5, 0.5, 0.4, 0.6), validation(10, 0, 0, 0.1)])).toBeUndefined();
  expect(fallen([start])).toBeUndefined();
});

test("the distance is the mean of log p less that of the start, over what was sampled", async () => {
  const episode = {
    ...sampleTrajectory("a"),
    streams: [
      {
        ids: Int32Array.of(5, 6, 7),
        mask: Uint8Array.of(0, 1, 1),
        logprobs: Float32Array.of(0, -0.5, -0.25),
        versions: Int32Array.of(0, 1, 1),
      },
    ],
  };
  const start = { score: async () => Promise.resolve([{ logprob: Float32Array.of(0, -1.5, -0.75) }]) };
  const { signal } = new AbortController();
  // (1 + 0.5) / 2
  expect(await distanceFrom(start, [episode], signal)).toBeCloseTo(0.75, 6);
  expect(await distanceFrom(start, [{ ...episode, streams: [] }], signal)).toBeUndefined();
});
