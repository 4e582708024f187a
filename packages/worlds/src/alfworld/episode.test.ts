import fc from "fast-check";
import { expect, test } from "vitest";
import { parseGame } from "./game.ts";
import { NOTHING_HAPPENS, openGame, type GameState } from "./episode.ts";
import { tinyGame } from "../../../../test/support/tiny-game.ts";

const game = parseGame(tinyGame());

function play(commands: readonly string[], state: GameState = openGame(game)): string[] {
  return commands.map((command) => state.act(command).text);
}

test("opens with what stands at the agent's place; ids become names counted backwards", () => {
  // red_bar_1 comes before red_bar_2, so it is "red 2". The word after the second bar makes the blue one a basin.
  expect(openGame(game).opening()).toBe(
    "Before you: bluebasin 1. Beside: nothing.\n\nYour task is to: light the lamp in the red box.",
  );
  // No command leads to the place where the agent stands; "wait" marks it busy.
  expect(openGame(game).commands()).toEqual(["slam", "wait", "walk to red 1", "walk to red 2"]);
});

test("a box's contents are listed in id order and reachable only when it is not shut", () => {
  const state = openGame(game);
  // coin_bar_1 is "coin 2": coin_bar_2 comes later and has the lower number.
  expect(play(["walk to red 2"], state)).toEqual(["You stand at red 2. In it: a coin 2, and a lamp 1."]);
  expect(state.commands()).toEqual([
    "pick coin 2 from red 2",
    "pick lamp 1 from red 2",
    "slam",
    "unlock red 1",
    "wait",
    "walk to bluebasin 1",
  ]);
  expect(play(["unlock red 1"], state)).toEqual(["In it: a coin 1."]);
  expect(state.commands()).toContain("pick coin 1 from red 1");
});

test("a command that is not in the list changes nothing", () => {
  const state = openGame(game);
  const [key, commands] = [state.key, state.commands()];
  for (const command of ["pick coin 1 from red 1", "WAIT", "", "wait\u0000", "a".repeat(100_000)]) {
    expect(state.act(command)).toEqual({ text: NOTHING_HAPPENS, valid: false });
  }
  expect([state.key, state.commands()]).toEqual([key, commands]);
  // Space around a command is cut, as in the original.
  expect(state.act("  slam\n").valid).toBe(true);
});

test("conditions of effects are read before anything changes, so a switch flips", () => {
  const replies = play(["walk to red 2", "pick lamp 1 from red 2", "press lamp 1", "press lamp 1", "press lamp 1"]);
  expect(replies.slice(2)).toEqual(["Light.", "Dark.", "Light."]);
});

test("an effect for all boxes shuts those at hand, and shut boxes leave the list", () => {
  const state = openGame(game);
  play(["walk to red 2", "slam"], state);
  expect(state.commands()).toEqual(["slam", "unlock red 1", "unlock red 2", "wait", "walk to bluebasin 1"]);
});

test("what an action made false shows where a text asks for it, and only that", () => {
  // Recorded in the real environment: a box moved between two cabinets at one place lies "next to" them.
  const state = openGame(game);
  play(["walk to red 2", "unlock red 1", "pick lamp 1 from red 2", "drop lamp 1 in red 1"], state);
  expect(play(["slam"], state)).toEqual(["Before you: red 2, and red 1. Beside: a lamp 1."]);
  // Back in the first box the denial of that one is gone, but the second box has now been left.
  play(["unlock red 1", "unlock red 2", "pick lamp 1 from red 1", "drop lamp 1 in red 2"], state);
  expect(play(["slam"], state)).toEqual(["Before you: red 2, and red 1. Beside: a lamp 1."]);
});

test("wins when the goal holds, and knows when it no longer does", () => {
  const state = openGame(game);
  play(["walk to red 2", "unlock red 1", "pick lamp 1 from red 2", "press lamp 1", "drop lamp 1 in red 2"], state);
  // Not the first red box: the goal denies red_bar_1, which is "red 2".
  expect(state.won).toBe(false);
  play(["pick lamp 1 from red 2", "drop lamp 1 in red 1"], state);
  expect(state.won).toBe(true);
  play(["pick lamp 1 from red 1"], state);
  expect(state.won).toBe(false);
});

test("equal facts have equal keys, whatever led to them", () => {
  const [straight, detour] = [openGame(game), openGame(game)];
  play(["walk to red 2"], straight);
  play(["walk to red 1", "pick coin 2 from red 2", "drop coin 2 in red 2"], detour);
  expect(detour.key).toBe(straight.key);
  expect(straight.key).not.toBe(openGame(game).key);
});

test("the list brought up to date equals the list worked out anew, in forks too", () => {
  const steps = fc.array(fc.tuple(fc.nat(1_000), fc.boolean(), fc.boolean()), { maxLength: 40 });
  fc.assert(
    fc.property(steps, (script) => {
      let state = openGame(game);
      const past: string[] = [];
      for (const [choice, look, branch] of script) {
        const commands = state.fork().commands();
        const command = commands[choice % commands.length]!;
        // Looking at the list or not must make no difference later.
        const seen = look ? state.commands() : commands;
        if (branch) {
          const left = state;
          state = state.fork();
          left.act(commands[(choice + 1) % commands.length]!);
        }
        state.act(command);
        past.push(command);
        const fresh = openGame(game);
        play(past, fresh);
        expect([seen, state.commands(), state.key, state.won]).toEqual([
          commands,
          fresh.commands(),
          fresh.key,
          fresh.won,
        ]);
      }
    }),
    { numRuns: 60 },
  );
});
