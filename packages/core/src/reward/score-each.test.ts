import { expect, test } from "vitest";
import { plain, sampleTrajectory } from "../../../../test/support/reward.ts";
import { scoreEach } from "./score-each.ts";

test("who fails, hangs, talks nonsense or says NaN leaves one trajectory unscored, and the others as they are", async () => {
  const answers: Record<string, () => unknown> = {
    good: () => 0.5,
    yes: () => Promise.resolve({ score: true, comment: "fine" }),
    fails: () => Promise.reject(new Error("502 Bad Gateway\u001b[2J")),
    throws: () => {
      throw new Error("no such host");
    },
    hangs: () => new Promise(() => undefined),
    nonsense: () => Promise.resolve("very good"),
    nan: () => Promise.resolve({ score: Number.NaN }),
    nothing: () => Promise.resolve(undefined),
    much: () => Promise.resolve(7),
  };
  const batch = Object.keys(answers).map((id) => sampleTrajectory(id));
  const ask = ({ id }: { readonly id: string }) => answers[id]?.() as never;
  const { awards } = await scoreEach(batch, ask, { seconds: 0.02, least: 0, most: 1 });
  expect(awards.map(([award]) => plain(award?.score))).toEqual([
    0.5,
    1,
    "unscored: the verifier failed: 502 Bad Gateway [2J",
    "unscored: the verifier failed: no such host",
    "unscored: the verifier failed: it did not answer within 0.02 seconds",
    "unscored: the verifier said something of type string, which is not a finite number",
    "unscored: the verifier said NaN, which is not a finite number",
    "unscored: the verifier could not say",
    "unscored: the verifier said 7, outside 0 to 1",
  ]);
  expect(awards[1]?.[0]?.comment).toBe("fine");
});

test("a run that is cancelled is not a failure", async () => {
  const signal = AbortSignal.abort();
  await expect(scoreEach([sampleTrajectory("a")], () => 1, { signal })).rejects.toMatchObject({ code: "cancelled" });
});
