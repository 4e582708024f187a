import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { allCredits } from "limbeck-core/credit/registry";

test("lists every credit method with paper, room, needs and meaning", async () => {
  const { objects } = await limbeck(["methods", "--room", "credit", "--json"]);
  expect(objects().map(({ id }) => id)).toEqual(Object.keys(allCredits).toSorted());
  expect(objects().find(({ id }) => id === "gigpo")).toMatchObject({
    room: "credit",
    paper: "Group-in-Group Policy Optimization, arXiv 2505.10978",
    confidence: "code",
    needs: ["state", "reward"],
  });
});

test("a person gets a table and the count by source", async () => {
  const { out } = await limbeck(["methods", "--room", "credit"]);
  expect(out).toContain("remax");
  expect(out).toMatch(
    /\d+ methods: \d+ follow published code, \d+ a paper, \d+ a third party.s reading of one, \d+ an abstract/,
  );
});
