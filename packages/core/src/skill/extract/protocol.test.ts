import { expect, test } from "vitest";
import { played, type Played } from "../../../../../test/support/played.ts";
import { unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { buildProtocol, protocolText } from "./protocol.ts";

function episode(id: string, thing: string, success: boolean, steps: readonly Played[]): Trajectory {
  const trajectory = played(id, success, steps);
  return {
    ...trajectory,
    task: { ...trajectory.task, id: `wash ${thing}`, goal: `wash the ${thing} and put it away` },
  };
}

const washed = (thing: string): Trajectory =>
  episode(`good ${thing}`, thing, true, [
    ["room", `take ${thing} 1`],
    [`has ${thing}`, `rinse ${thing} 1 with tap 1`],
    ["clean", `store ${thing} 1`],
  ]);
const unwashed = (thing: string): Trajectory =>
  episode(`bad ${thing}`, thing, false, [
    ["room", `take ${thing} 1`],
    [`has ${thing}`, `store ${thing} 1`],
  ]);
const stuck = (id: string): Trajectory => ({
  ...episode(id, "jug", false, [
    ["room", "take jug 1"],
    ["has jug", "rinse jug 1 with tap 1"],
    ["clean", "store jug 1"],
    ["dark", "dance", { valid: false }],
    ["dark", "dance", { valid: false }],
  ]),
  success: null,
  reward: unscored("no score"),
});

test("failures get their root cause against what worked, and a branch cites its episodes", () => {
  const protocol = buildProtocol([washed("cup"), washed("pan"), unwashed("mug"), unwashed("pot"), stuck("lost")]);
  expect(protocol).toMatchObject({ round: 1, episodes: 5, failed: 3 });
  const [missing, refused] = protocol.branches;
  expect(missing).toMatchObject({
    goal: "wash the {1} and put it away",
    cause: "missing",
    advice: "After you take the {1}: rinse the {1} with the tap.",
    links: [{ trajectory: "bad mug" }, { trajectory: "bad pot" }],
  });
  expect(refused).toMatchObject({
    cause: "refused",
    sign: '"dance" is refused',
    links: [{ trajectory: "lost", steps: [3, 4] }],
  });
  const text = protocolText(protocol);
  expect(text).toContain('- If the goal is like "wash the {1} and put it away":');
  expect(text).toContain("(2 episodes: bad mug, bad pot)");
});

test("a later round keeps what is seen again, adds to it, and lets the rest fade", () => {
  const first = buildProtocol([washed("cup"), washed("pan"), unwashed("mug"), stuck("lost")]);
  let later = buildProtocol([washed("cup"), washed("pan"), unwashed("pot")], first);
  expect(later.branches[0]).toMatchObject({
    rounds: 2,
    firstRound: 1,
    lastRound: 2,
    links: [{ trajectory: "bad mug" }, { trajectory: "bad pot" }],
  });
  expect(later.branches.map(({ cause }) => cause)).toEqual(["missing", "refused"]);
  for (let round = 0; round < 3; round += 1)
    later = buildProtocol([washed("cup"), washed("pan"), unwashed("pot")], later);
  expect(later.branches.map(({ cause }) => cause)).toEqual(["missing"]);
});

test("nothing to learn from gives an empty protocol", () => {
  expect(buildProtocol([])).toEqual({ round: 1, episodes: 0, failed: 0, branches: [] });
});
