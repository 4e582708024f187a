import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { allCredits } from "limbeck-core/credit/registry";

test("shows formula, defaults, a worked example and departures", async () => {
  const { code, out } = await limbeck(["explain", "opid"]);
  expect(code).toBe(0);
  for (const heading of ["Formula", "Needs", "Options", "Example, computed now", "Departures"])
    expect(out).toContain(heading);
  // -0.4 + 0.001 * [0.6, -0.4, 1]
  expect(out).toContain("-0.3994 -0.4004 -0.399");
});

test("the example is a file for limbeck credit and gives the same numbers there", async () => {
  for (const id of Object.keys(allCredits)) {
    const [explained] = (await limbeck(["explain", id, "--json"])).objects();
    const { batch, options = {}, result } = explained!["example"] as Record<string, Record<string, unknown>>;
    const settings = Object.entries(options).flatMap(([key, value]) => ["--set", `${key}=${String(value)}`]);
    const { objects } = await limbeck(["credit", "--method", id, "--in", "-", ...settings, "--json"], {
      input: JSON.stringify(batch),
    });
    expect(objects()[0]).toEqual(result);
  }
});

test("finds a method by its printed name and offers the nearest", async () => {
  expect((await limbeck(["explain", "Dr.GRPO", "--json"])).objects()[0]).toMatchObject({ id: "dr-grpo" });
  const { code, err } = await limbeck(["explain", "gigpi"]);
  expect([code, err]).toEqual([2, expect.stringContaining('Did you mean "gigpo"?')]);
});

test("a name of two rooms names the other", async () => {
  const { out } = await limbeck(["explain", "treepo"]);
  expect(out).toContain("Also a method of rollout: limbeck explain rollout/treepo\n");
  expect((await limbeck(["explain", "rollout/treepo"])).out).toContain("room rollout");
});
