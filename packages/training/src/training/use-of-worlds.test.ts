import { expect, test } from "vitest";
import { createSupply, type Away } from "./asynchronous.ts";

/** Time that goes on by itself when nobody has anything else to do; nobody really waits. */
function virtualClock() {
  let now = 0;
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  const wait = (seconds: number): Promise<void> =>
    new Promise((go) => {
      waiting.push({ at: now + seconds, go });
    });
  const until = async (done: Promise<unknown>): Promise<void> => {
    let over = false;
    void done.finally(() => (over = true));
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (over) return;
      waiting.sort((left, right) => left.at - right.at);
      const next = waiting.shift();
      if (next === undefined) throw new Error("everybody waits for somebody");
      now = next.at;
      next.go();
    }
  };
  return { now: () => now, wait, until };
}

/** A slow text interface: a step takes a second. An update's eight episodes have these many steps, 24 in all. */
const STEPS = [2, 2, 2, 2, 2, 2, 2, 10] as const;
const [WORLDS, LEARNING, UPDATES] = [4, 4, 10] as const;

/** Who gives a slow reward: a second an episode, by the training between playing and learning, or by so many workers. */
interface Rewarding {
  readonly here?: number;
  readonly workers?: number;
}

/** Four worlds take episodes one after the other, of whichever batch is begun; learning takes four seconds an update. */
async function useOfWorlds(
  lag: number,
  width: number,
  { here = 0, workers = 0 }: Rewarding = {},
): Promise<{ use: number; seconds: number; lags: number[] }> {
  const clock = virtualClock();
  let idle = workers;
  const asked: (() => void)[] = [];
  const reward = async (): Promise<void> => {
    if (workers === 0) return;
    if (idle === 0) await new Promise<void>((go) => void asked.push(go));
    else idle -= 1;
    await clock.wait(1);
    const next = asked.shift();
    if (next === undefined) idle += 1;
    else next();
  };
  let [free, busy] = [WORLDS as number, 0];
  const queue: (() => void)[] = [];
  const episode = async (steps: number): Promise<void> => {
    if (free === 0) await new Promise<void>((go) => void queue.push(go));
    else free -= 1;
    await clock.wait(steps);
    busy += steps;
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const away: Away = {
    width,
    renew: () => Promise.resolve(),
    play: async () => {
      // As soon as an episode is over it is rewarded, while others are played.
      await Promise.all(STEPS.map((steps) => episode(steps).then(reward)));
      return [];
    },
    close: () => Promise.resolve(),
  };
  const supply = createSupply({
    away,
    lag,
    from: 0,
    updates: UPDATES,
    assign: (update, skills) => Promise.resolve({ update, tasks: [], seed: "", prefix: "", skills }),
    version: () => 0,
    skills: {},
    now: clock.now,
    signal: new AbortController().signal,
  });
  const lags: number[] = [];
  const training = async (): Promise<void> => {
    for (let update = 1; update <= UPDATES; update += 1) {
      lags.push((await supply.take(update)).metrics["async/lag"] ?? 0);
      if (here > 0) await clock.wait(here * STEPS.length);
      await clock.wait(LEARNING);
      await supply.learned(update, {});
    }
  };
  await clock.until(training());
  return { use: busy / (WORLDS * clock.now()), seconds: clock.now(), lags };
}

test("slow worlds are used at least 30% more where playing does not wait for learning", async () => {
  // Coupled: four short episodes, three short ones and the long one: 2 + 10 seconds, and 4 of learning. 24 / (4 * 16).
  const coupled = await useOfWorlds(0, 1);
  expect(coupled).toMatchObject({ seconds: 160, use: 0.375 });
  expect(coupled.lags).toEqual(Array.from({ length: UPDATES }, () => 0));
  // One batch ahead: only the last learning is waited for, but each batch still waits for its longest episode: 10 * 12 + 4.
  const ahead = await useOfWorlds(1, 1);
  expect(ahead.seconds).toBe(124);
  expect(ahead.use / coupled.use).toBeCloseTo(160 / 124, 9);
  // Several batches in flight: worlds that are done with one begin with the next. Nobody is further ahead than the lag.
  const decoupled = await useOfWorlds(2, 3);
  expect(Math.max(...decoupled.lags)).toBe(2);
  expect(decoupled.use).toBeGreaterThanOrEqual(1.3 * coupled.use);
  // 60 seconds of work for four worlds; at the end the last long episode runs alone, and its learning is waited for.
  expect(decoupled.seconds).toBe(70);
});

test("an update with slow worlds takes less than 0.7 of the time where playing does not wait for learning", async () => {
  const [coupled, decoupled] = [await useOfWorlds(0, 1), await useOfWorlds(2, 3)];
  expect(decoupled.seconds / UPDATES).toBeLessThan(0.7 * (coupled.seconds / UPDATES));
  expect(decoupled.lags.every((lag) => lag <= 2)).toBe(true);
});

test("an update with a slow reward takes less than 0.7 of the time where workers give it", async () => {
  // A second for each of eight episodes. In step, by the training: 12 of playing, 8 of rewards, 4 of learning.
  const inStep = await useOfWorlds(0, 1, { here: 1 });
  expect(inStep.seconds).toBe(240);
  // Playing does not wait, but rewards and learning are one after the other: the first batch takes 12 seconds, then 12 an update.
  const here = await useOfWorlds(2, 3, { here: 1 });
  expect(here.seconds).toBe(12 + 10 * 12);
  // By two workers, while others are still played: not much more than without a reward, which is 70.
  const away = await useOfWorlds(2, 3, { workers: 2 });
  expect(away.seconds).toBeGreaterThan(70);
  expect(away.seconds).toBeLessThan(0.7 * here.seconds);
  expect(away.seconds).toBeLessThan(0.35 * inStep.seconds);
  expect(away.lags.every((lag) => lag <= 2)).toBe(true);
});
