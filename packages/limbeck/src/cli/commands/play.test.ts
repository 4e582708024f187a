import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../../../test/support/fake-io.ts";
import { tinyGame } from "../../../../../test/support/tiny-game.ts";

const WIN = ["walk to red 2", "unlock red 1", "pick lamp 1 from red 2", "press lamp 1", "drop lamp 1 in red 1"];
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-play-"));
  await writeFile(join(folder, "game.tw-pddl"), JSON.stringify(tinyGame()));
  await writeFile(join(folder, "win.txt"), `${WIN.join("\n")}\n\nslam\n`);
  await writeFile(join(folder, "broken.json"), "{");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const play = (words: readonly string[], options: FakeOptions = {}) =>
  limbeck(["play", "--env", "alfworld", "--game", "game.tw-pddl", ...words], { cwd: folder, ...options });
const byHand = (answers: readonly string[]) => play([], { answers, terminal: { in: true } });

test("prints one object per step, the opening first, and stops at the end", async () => {
  const { code, objects } = await play(["--commands", "win.txt", "--json"]);
  expect(code).toBe(0);
  expect(objects()).toHaveLength(6);
  expect(objects()[0]).toEqual({
    step: 0,
    action: null,
    observation: "Before you: bluebasin 1. Beside: nothing.\n\nYour task is to: light the lamp in the red box.",
    admissible: ["slam", "wait", "walk to red 1", "walk to red 2"],
    reward: 0,
    done: false,
    ending: null,
    success: false,
    valid: true,
  });
  expect(objects()[5]).toEqual({
    step: 5,
    action: "drop lamp 1 in red 1",
    observation: "You drop lamp 1.",
    admissible: [],
    reward: 10,
    done: true,
    ending: "terminated",
    success: true,
    valid: true,
  });
});

test("reads standard input where there is no terminal, and shows it for a person", async () => {
  const { out, err } = await play([], { input: "fly\u001b[2J\nslam\n" });
  expect(out).toContain("> fly\\x1b[2J\nNothing happens.\n\n> slam\n");
  expect(out.endsWith("\n2 steps, not ended\n")).toBe(true);
  expect(err).toBe("");
  expect((await play(["--commands", "win.txt"])).err).toBe("1 command left over after the end.\n");
});

test("a player's words mean the same where they are piped", async () => {
  const { out, err } = await play([], { input: "walk to red 2\nundo\nhint\nslam\nquit\nslam\n" });
  // Back at the opening, which is shown again.
  expect(out.match(/Your task is to/g)).toHaveLength(2);
  expect(out).toMatch(/The expert (would|has no advice): /);
  expect(out).not.toContain("> undo");
  expect([out.endsWith("\n1 step, not ended\n"), err]).toEqual([true, ""]);
  // A program acts and nothing else.
  const { objects } = await play(["--json"], { input: "undo\nquit\n" });
  expect(objects().map(({ action }) => action)).toEqual([null, "undo", "quit"]);
});

test("by hand: numbers and texts act, undo goes back, quit ends", async () => {
  const { code, out } = await byHand(["4", "undo", "undo", "dance", "list", "hint", "", "quit", "slam"]);
  expect(code).toBe(0);
  expect(out).toContain("  4 walk to red 2\n");
  expect(out).toContain("> walk to red 2\n\nYou stand at red 2. In it: a coin 2, and a lamp 1.\n");
  expect(out).toContain("Nothing to take back.\n(not possible here)\n\nNothing happens.\n");
  // The tiny game speaks its own words, which no expert has learnt.
  expect(out).toContain("The expert has no advice: ");
  expect(out).not.toContain("> slam");
});

test("by hand: an end can be undone", async () => {
  const { out } = await byHand([...WIN, "slam", "undo", "slam"]);
  expect(out).toContain("reward 10\n");
  expect(out).toContain("Ended (terminated) after 5 steps: success\nThe episode has ended.\n");
  expect(
    out
      .trimEnd()
      .endsWith("  1 press lamp 1\n  2 slam\n  3 unlock red 1\n  4 unlock red 2\n  5 wait\n  6 walk to bluebasin 1"),
  ).toBe(true);
});

test("the expert's hints lead to success", async () => {
  const words = ["play", "--env", "household", "--set", "dial=tiny"];
  const answers: string[] = [];
  let out = "";
  for (let step = 0; step < 20 && !out.includes("success"); step += 1) {
    ({ out } = await limbeck(words, { answers: [...answers, "hint"], terminal: { in: true } }));
    answers.push(/would: (.*)\n$/.exec(out)?.[1] ?? "look");
  }
  expect(out).toContain("Ended (terminated)");
});

test.each([
  [["play"], 2, /needs --env ID; known: agent, alfworld/],
  [["play", "--env", "alfwrld"], 2, /Did you mean "alfworld"/],
  [["play", "--env", "alfworld"], 2, /needs either `root`/],
  [["play", "--env", "alfworld", "--game", "none"], 3, /Cannot read the game/],
  [["play", "--env", "alfworld", "--game", "broken.json"], 3, /not JSON/],
  [["play", "--env", "alfworld", "--game", "game.tw-pddl", "--task", "7"], 2, /has 1 task; --task 7/],
  [["play", "--env", "alfworld", "--game", "game.tw-pddl", "--task", "x"], 2, /whole number/],
  [["play", "--env", "alfworld", "--game", "game.tw-pddl", "--split", "trian"], 2, /No split/],
  [["play", "--env", "alfworld", "--game", "game.tw-pddl", "--set", "x"], 2, /NAME=VALUE/],
  [["play", "--env", "alfworld", "--game", "game.tw-pddl", "--set", "x=1"], 2, /No option of alfworld "x"/],
  [["play", "--env", "alfworld", "--game", "game.tw-pddl", "--commands", "none"], 3, /Cannot read the commands/],
])("%j is answered with exit code %i", async (words, code, message) => {
  const ran = await limbeck(words, { cwd: folder });
  expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(message)]);
});

test("a search proposes, the player decides", async () => {
  const words = ["play", "--env", "archive", "--set", "size=tiny", "--search", "coarse-to-fine", "--policy", "expert"];
  const { code, out } = await limbeck(words, {
    cwd: folder,
    answers: ["yes", "search", "open 2", "search", "yes", "search", "yes", "search", "yes", "search", "yes", "quit"],
    terminal: { in: true },
  });
  expect(code).toBe(0);
  expect(out).toContain("search proposes an action, yes does it");
  expect(out).toMatch(
    /The search would: open \d, then \d+ more steps to success \(\d+ nodes, 0 model calls\)\. yes does it\./,
  );
  expect(out).toContain("success");
  const aside = await limbeck([...words, "--commands", "win.txt"], { cwd: folder });
  expect([aside.code, aside.err]).toEqual([2, expect.stringContaining("--search proposes to a player")]);
});
