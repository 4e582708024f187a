import fc from "fast-check";
import { expect, test } from "vitest";
import { createRowHeights, rowsInSight } from "./row-heights.ts";

test("rows stand where the heights before them end", () => {
  const heights = createRowHeights(5, 10);
  expect(heights.total()).toBe(50);
  expect(heights.measure(1, 30)).toBe(true);
  expect(heights.measure(1, 30)).toBe(false);
  // 10, 30, 10, 10, 10: rows begin at 0, 10, 40, 50, 60.
  expect([0, 1, 2, 3, 4, 5].map((row) => heights.offsetOf(row))).toEqual([0, 10, 40, 50, 60, 70]);
  expect([0, 9, 10, 39, 40, 69, 70, 999].map((offset) => heights.rowAt(offset))).toEqual([0, 0, 1, 1, 2, 4, 4, 4]);
});

test("only what is in sight is drawn, and a margin", () => {
  const heights = createRowHeights(2_000, 100);
  // 500 to 1300 with 200 on either side: 300 to 1500, rows 3 to 15.
  expect(rowsInSight(heights, { top: 500, height: 800 }, 200)).toEqual({ start: 3, end: 16 });
  expect(rowsInSight(heights, { top: 0, height: 800 }, 0)).toEqual({ start: 0, end: 9 });
  expect(rowsInSight(heights, { top: 199_900, height: 800 }, 200)).toEqual({ start: 1_997, end: 2_000 });
  expect(rowsInSight(createRowHeights(0, 100), { top: 0, height: 800 }, 200)).toEqual({ start: 0, end: 0 });
});

test("agrees with adding up", () => {
  const measurement = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 500 }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.array(measurement), fc.nat(9_000), (count, measured, offset) => {
      const heights = createRowHeights(count, 25);
      const plain = Array.from({ length: count }, () => 25);
      for (const [row, height] of measured) {
        heights.measure(row, height);
        if (row < count) plain[row] = height;
      }
      const total = plain.reduce((sum, height) => sum + height, 0);
      expect(heights.total()).toBe(total);
      let [row, end] = [0, plain[0] as number];
      while (row < count - 1 && end <= offset) {
        row += 1;
        end += plain[row] as number;
      }
      expect(heights.rowAt(offset)).toBe(row);
    }),
  );
});
