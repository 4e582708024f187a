/**
 * Credit by information, with its own provider, in worlds where it is known which turn matters. The model is a table: what it
 * says next depends on what was shown, and on nothing else.
 */
import { expect, test } from "vitest";
import { tryProvider, type TryOptions } from "../../../../../test/support/provider-bench.ts";
import { createTableEnv } from "../../../../../test/support/table-world.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import { assignCredit } from "../../credit/assign.ts";
import { getCredit } from "../../credit/registry.ts";
import type { ScoreRow } from "limbeck-policy/policy/policy";
import { byteTokenizer } from "limbeck-policy/policy/tabular/script-tokenizer";
import type { Script } from "limbeck-policy/policy/tabular/scripted-policy";
import type { ProviderId } from "./index.ts";

/** Chances of the last action by the last place that was shown. */
type Chances = Readonly<Record<string, Readonly<Record<string, number>>>>;

const tokenizer = byteTokenizer();
const placeIn = (text: string, known: Chances): string =>
  [...text.matchAll(/at (\w+)/g)].map(([, place = ""]) => place).findLast((place) => Object.hasOwn(known, place)) ?? "";

/** The chance of the whole action stands on its first byte. */
const scoreBy =
  (known: Chances, otherwise: Readonly<Record<string, number>>) =>
  ({ ids, mask = new Uint8Array(ids.length) }: ScoreRow) => {
    const start = mask.indexOf(1);
    const said = tokenizer.decode(ids.slice(start)).trim();
    const chances = known[placeIn(tokenizer.decode(ids.slice(0, start)), known)] ?? otherwise;
    const chance = Object.entries(chances).find(([action]) => said.startsWith(action))?.[1] ?? 1e-6;
    return { logprob: Float32Array.from(ids, (_, at) => (at === start ? Math.log(chance) : 0)) };
  };

const scriptBy =
  (first: Readonly<Record<string, number>>, known: Chances): Script =>
  ({ observation }) => {
    const place = /at (\w+)$/.exec(observation.trim())?.[1] ?? "";
    return Object.entries(known[place] ?? first).map(([text, probability]) => ({ text, probability }));
  };

/** What each row did, with its credit by term. */
async function credited(provider: ProviderId, credit: string, options: Partial<TryOptions>, settings: object = {}) {
  const { batch, episodes } = await tryProvider(provider, { credit, size: 48, ...options });
  const { terms } = assignCredit(getCredit(credit), batch, settings as never);
  const actions = new Map(episodes.map(({ id, steps }) => [id, steps.map(({ action }) => action)]));
  const rows = batch.rows.map((row, at) => ({ ...row, at, action: actions.get(row.trajectory)?.[row.step] ?? "" }));
  const earned = (term: string, action: string): number[] =>
    rows.flatMap((row) => (row.action === action ? [terms[term]?.perRow?.[row.at] ?? Number.NaN] : []));
  return { rows, earned };
}

test("a question whose answer decides what comes next earns, small talk nothing, though every episode fails", async () => {
  // Asked, the customer names the box: red, nearly surely. A hint helps a little. After talk it is red or blue.
  const known: Chances = {
    box: { "open red": 0.98, "open blue": 0.02 },
    hint: { "open red": 0.6, "open blue": 0.4 },
    hall: { "open red": 0.5, "open blue": 0.5 },
  };
  const ends = { "open red": "dust", "open blue": "dust" };
  const env = createTableEnv({
    moves: { start: { ask: "box", guess: "hint", talk: "hall" }, box: ends, hint: ends, hall: ends },
    ends: { dust: 0 },
    maxSteps: 3,
  });
  const script = scriptBy({ ask: 0.34, guess: 0.33, talk: 0.33 }, known);
  const score = scoreBy(known, { "open red": 0.5, "open blue": 0.5 });
  const { earned } = await credited("masked-observation", "infopo", { env, script, score });
  const [asked, talked] = [earned("information", "ask"), earned("information", "talk")];
  expect([asked.length > 5, talked.length > 5]).toEqual([true, true]);
  // 0.98 against 0.5 is more than any other gain of the group; talk leaves 0.5 at 0.5.
  expect(mean(asked)).toBeGreaterThan(0.1);
  expect(talked.every((value) => Math.abs(value) < 1e-6)).toBe(true);
  expect(mean(earned("information", "guess"))).toBeLessThan(mean(asked));
  // Every outcome is 0: what is left to learn from is the information.
  expect([...earned("outcome", "ask"), ...earned("outcome", "talk")].every((value) => value === 0)).toBe(true);
});

test("a turn that shows the answer most agree on earns, an idle one nothing, and rewards telescope", async () => {
  // Looking shows oslo; wandering shows nothing. Everybody then answers, most of them oslo.
  const known: Chances = {
    oslo: { "say oslo": 0.9, "say rome": 0.1 },
    hall: { look: 0.5, wander: 0.5 },
    yard: { "say oslo": 0.4, "say rome": 0.6 },
  };
  const says = { "say oslo": "end", "say rome": "end" };
  const env = createTableEnv({
    moves: { start: { wander: "hall" }, hall: { look: "oslo", wander: "yard" }, oslo: says, yard: says },
    ends: { end: 0 },
    maxSteps: 4,
  });
  const places: Chances = { oslo: known["oslo"] as Chances[string] };
  const score = scoreBy(places, { "say oslo": 0.4, "say rome": 0.6 });
  const { rows, earned } = await credited(
    "answer-clusters",
    "siop",
    {
      env,
      script: scriptBy({ wander: 1 }, known),
      score,
    },
    { gamma: 0 },
  );
  const change = ({ signals }: (typeof rows)[number]): number => {
    const { before, after } = signals?.cluster ?? { before: 0, after: 0 };
    return Math.log(after) - Math.log(before);
  };
  const byAction = (action: string): number[] => rows.filter((row) => row.action === action).map(change);
  const answered = new Map(rows.filter(({ step }) => step === 2).map((row) => [row.trajectory, row.action]));
  const toOslo = rows.filter((row) => row.action === "look" && answered.get(row.trajectory) === "say oslo");
  expect(toOslo.length).toBeGreaterThan(5);
  // The answer's tokens share ln 0.9 - ln 0.4 by their number.
  expect(toOslo.every((row) => change(row) > 0)).toBe(true);
  expect(byAction("wander").every((value) => value === 0)).toBe(true);
  expect(mean(earned("potential", "look"))).toBeGreaterThan(mean(earned("potential", "wander")));
  // From turn to turn nothing is lost: what follows one turn is what precedes the next, to the bit.
  const pairs = rows.slice(1).map((next, at) => [rows[at], next] as const);
  const within = pairs.filter(([row, next]) => row?.trajectory === next.trajectory);
  expect(within.length).toBeGreaterThan(48);
  expect(within.map(([row]) => row?.signals?.cluster?.after)).toEqual(
    within.map(([, next]) => next.signals?.cluster?.before),
  );
});
