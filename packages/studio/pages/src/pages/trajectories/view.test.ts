import { expect, test } from "vitest";
import { readPlace } from "../../route/place.ts";
import { isFiltered, readView } from "./view.ts";

test("a view is read from its address", () => {
  const place = readPlace(
    "#/trajectories?run=a&run=b&family=find&outcome=failure&ending=truncated&minSteps=3&search=mug&sort=steps&order=up&offset=100",
  );
  expect(readView(place)).toEqual({
    run: ["a", "b"],
    family: ["find"],
    outcome: "failure",
    ending: "truncated",
    minSteps: 3,
    search: "mug",
    sort: "steps",
    order: "up",
    offset: 100,
    limit: 100,
  });
});

test("what the address gets wrong is left out", () => {
  const view = readView(readPlace("#/trajectories?outcome=maybe&minSteps=-4&sort=magic&order=down"));
  expect(view).toEqual({ limit: 100 });
  expect(isFiltered(view)).toBe(false);
  expect(isFiltered(readView(readPlace("#/trajectories?group=g")))).toBe(true);
});
