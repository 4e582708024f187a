import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { loadClaims } from "../catalog/catalog.ts";

test("finds a system by any case, by its beginning, and offers the nearest", async () => {
  expect((await limbeck(["catalog", "gigpo", "--json"])).objects()[0]).toMatchObject({
    system: "GiGPO",
    state: "measured",
    command: "limbeck train --recipe gigpo --set penaltyGroups=all",
    control: "--set credit.stepAdvantageWeight=0: 0",
  });
  expect((await limbeck(["catalog", "cosea", "--json"])).objects()[0]).toMatchObject({ state: "part" });
  const wrong = await limbeck(["catalog", "GiGPA"]);
  expect([wrong.code, wrong.err]).toEqual([
    2,
    'error    No system "GiGPA". Did you mean "GiGPO"? "limbeck catalog" lists all 204.\n',
  ]);
  const several = await limbeck(["catalog", "sage"]);
  expect(several.code).toBe(2);
  expect(several.err).toContain('"sage" fits 2 systems: SAGE (self-abstraction), SAGE (skill-augmented GRPO).');
});

test("filters by family, module and state", async () => {
  const { objects } = await limbeck(["catalog", "--family", "skill", "--module", "skill", "--json"]);
  expect(objects().map((entry) => entry["system"])).toEqual([
    "PANDO",
    "ROAD",
    "SAGE (self-abstraction)",
    "SAGE (skill-augmented GRPO)",
    "Skill1",
    "SPARK (PDI)",
  ]);
  const parts = [...loadClaims().values()].filter(({ state }) => state === "part").length;
  expect((await limbeck(["catalog", "--state", "part", "--json"])).objects()).toHaveLength(parts);
  const table = (await limbeck(["catalog", "--state", "part"])).out;
  expect(table).toMatch(/◐ {2}CoSearch +credit/);
  expect(table).toContain(
    `${parts} systems: ✓ 0 works   ○ 0 by construction   ≈ 0 measured, not reproduced   ◐ ${parts} part   · 0 not yet`,
  );
});
