import { expect, test } from "vitest";
import { finished, scoreOf } from "../../../../../test/support/finished-episode.ts";

/** Gives these replies in turn and keeps what it was asked. */
function scripted(...replies: readonly string[]) {
  const asked: string[] = [];
  return { asked, ask: (prompt: string) => Promise.resolve(replies[asked.push(prompt) - 1] ?? "") };
}

const episode = finished(['{"name":"cancel","arguments":{}}', "Your order is cancelled."]);

test("a transcript that claims too much persuades a judge who reads it alone, and not one that looks", async () => {
  const reader = scripted('{"success": 1}');
  expect(await scoreOf({ use: "judge", options: { probes: 0 } }, episode, reader)).toBe(1);
  expect(reader.asked[0]).not.toContain("probe");
  const looker = scripted('I look. {"probe": "status"}', '{"success": 0}');
  const probe = (action: string) => Promise.resolve(`${action}: the order is open`);
  expect(await scoreOf("judge", episode, { ask: looker.ask, probe })).toBe(0);
  expect(looker.asked[1]).toContain('You asked "status" and the world showed "status: the order is open"');
});

test("what the world refuses is an answer, and asking has an end", async () => {
  const refused = scripted('{"probe": "nonsense"}', '{"success": true}');
  expect(await scoreOf("judge", episode, refused)).toBe(1);
  expect(refused.asked[1]).toContain("an error: there is no world");
  const endless = scripted(...Array.from({ length: 9 }, () => '{"probe": "again"}'));
  expect(await scoreOf({ use: "judge", options: { probes: 2 } }, episode, endless)).toContain("went on asking");
  expect(endless.asked.length).toBe(3);
});

test("a scale is read to 0 to 1; nonsense, or no model at all, is no score", async () => {
  const scale = { use: "judge", options: { least: 0, most: 10 } };
  expect(await scoreOf(scale, episode, scripted('{"success": 7}'))).toBe(0.7);
  expect(await scoreOf(scale, episode, scripted('{"success": 70}'))).toContain("outside");
  expect(await scoreOf(scale, episode, scripted("Good work!"))).toContain("no number");
  expect(await scoreOf("judge", episode)).toContain("no model");
});
