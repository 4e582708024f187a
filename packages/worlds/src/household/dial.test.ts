import { expect, test } from "vitest";
import { readDial } from "./dial.ts";

test("gives named dials as they are", () => {
  expect(readDial("tiny")).toMatchObject({ name: "tiny", horizon: 12 });
  expect(readDial("official").receptacles.kitchen).toEqual([20, 34, 54]);
});

test("tiny holds at most 8 receptacles and 12 steps", () => {
  const { receptacles, horizon } = readDial("tiny");
  expect(Math.max(...Object.values(receptacles).map(([, , most]) => most))).toBe(8);
  expect(horizon).toBe(12);
});

test("reads changes to a dial, one room at a time or all alike", () => {
  const dial = readDial({
    from: "tiny",
    shut: 1,
    receptacles: { kitchen: 7 },
    distractors: [2, 6],
    rooms: ["kitchen"],
  });
  expect(dial.receptacles).toMatchObject({ kitchen: [7, 7, 7], bathroom: [5, 6, 8] });
  expect(dial.distractors.bedroom).toEqual([2, 4, 6]); // the middle of 2 and 6
  expect(dial).toMatchObject({ shut: 1, horizon: 12, rooms: ["kitchen"] });
  expect(dial.name).not.toBe("tiny");
});

test.each([
  ["tinny", /No household dial "tinny"\. Did you mean "tiny"\? Known: medium, official, small, tiny\./],
  [7, /a name \(tiny, small, medium, official\) or an object/],
  [{ from: "huge" }, /No household dial "huge"/],
  [{ receptacle: 3 }, /No setting of a household dial "receptacle"\. Did you mean "receptacles"\?/],
  [{ shut: 2 }, /setting shut is 2; it must be a number from 0 to 1/],
  [{ shut: "1" }, /setting shut is "1"/],
  [{ horizon: 2.5 }, /setting horizon is 2\.5; it must be a whole number from 1/],
  [{ receptacles: 0 }, /setting receptacles is 0; it must be a whole number of at least 1/],
  [{ receptacles: [9, 3] }, /in rising order/],
  [{ receptacles: [1, 2, 3, 4] }, /two or three of them/],
  [{ receptacles: { attic: 3 } }, /No room "attic"\. Known: bathroom, bedroom, kitchen, livingroom/],
  [{ rooms: [] }, /rooms is empty/],
  [{ copies: [-1, 2] }, /setting copies/],
])("refuses %j with a way out", (input, message) => {
  expect(() => readDial(input)).toThrow(message);
});
