import { expect, test } from "vitest";
import { barProgress, lineProgress } from "./progress.ts";
import { createStyle } from "./style.ts";
import { textWidth } from "./text-width.ts";

function canvas(columns = 100) {
  const written: string[] = [];
  const clock = { ms: 0 };
  return {
    written,
    clock,
    canvas: {
      write: (text: string) => void written.push(text),
      now: () => clock.ms,
      style: createStyle(false),
      columns,
    },
  };
}

test("a bar shows share, rate and time left, and draws at most ten times a second", () => {
  const { written, clock, canvas: to } = canvas();
  const progress = barProgress({ label: "Importing", total: 1000 }, to);
  for (let done = 1; done <= 50; done += 1) {
    clock.ms += 20;
    progress.update(done * 10, `${done} trajectories`);
  }
  // 1,000 ms in all, the first draw at 20 ms: 20, 120, …, 920 are ten draws.
  expect(written).toHaveLength(10);
  // At 920 ms: 460 done, 500 a second, 540 left: 1.08 s. 0.46 * 24 = 11.04 columns.
  expect(written.at(-1)).toBe(
    `\r\u001b[2KImporting  ${"━".repeat(11)}${"─".repeat(13)} 460 of 1,000, 500/s, 1.1 s left  46 trajectories`,
  );
  progress.end();
  expect(written.at(-1)).toBe("\r\u001b[2K");
});

test("a line that counts nothing says how long it has been going on", () => {
  const { written, clock, canvas: to } = canvas();
  const progress = barProgress({ label: "Update 1 of 20: learn", unit: "time" }, to);
  progress.update(0);
  clock.ms = 65_000;
  progress.update(0);
  expect(written).toEqual(["\r\u001b[2KUpdate 1 of 20: learn  0 ms", "\r\u001b[2KUpdate 1 of 20: learn  1 min 05 s"]);
});

test("a bar never folds over the edge of the terminal", () => {
  const { written, canvas: to } = canvas(40);
  barProgress({ label: "A label that is far too long for this", total: 10 }, to).update(5);
  expect(textWidth((written[0] ?? "").replace("\r\u001b[2K", ""))).toBeLessThan(40);
});

test("without a terminal there is a plain line every ten seconds", () => {
  const { written, clock, canvas: to } = canvas();
  const progress = lineProgress({ label: "Importing", unit: "bytes", total: 4_000_000 }, to);
  for (let second = 1; second <= 25; second += 1) {
    clock.ms += 1000;
    progress.update(second * 100_000);
  }
  progress.end();
  expect(written).toEqual([
    "Importing: 1.0 MB of 4.0 MB, 100 kB/s, 30.0 s left\n",
    "Importing: 2.0 MB of 4.0 MB, 100 kB/s, 20.0 s left\n",
  ]);
});
