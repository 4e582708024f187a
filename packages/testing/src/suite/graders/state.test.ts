import { expect, test } from "vitest";
import { finished, scoreOf } from "../../../../../test/support/finished-episode.ts";

const query = {
  use: "state",
  options: {
    queries: [
      { ask: "look in safe", holds: "ring" },
      { ask: "look", holds: "door is (shut|locked)" },
    ],
  },
};
const worldOf = (shows: Readonly<Record<string, string>>) => ({
  probe: (ask: string) => Promise.resolve(shows[ask] ?? "Nothing happens."),
});

test("the world decides, not the last word of the agent", async () => {
  const claims = finished(["The ring is in the safe and the door is locked."]);
  expect(await scoreOf(query, claims, worldOf({ "look in safe": "A Ring.", look: "The door is shut." }))).toBe(1);
  expect(await scoreOf(query, claims, worldOf({ "look in safe": "A ring.", look: "The door is open." }))).toBe(0);
});

test("a world that cannot be asked leaves it unscored", async () => {
  expect(await scoreOf(query, finished(["x"]))).toContain("there is no world");
  expect(await scoreOf({ use: "state", options: { queries: [] } }, finished(["x"])).catch(String)).toContain("queries");
});
