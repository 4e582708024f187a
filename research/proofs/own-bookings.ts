/** Bookings as the bundled model of the ledger makes them, right or wrong, beside the right ones. */
import { evaluate } from "limbeck";
import type { Planted } from "../../packages/training/src/training/judge/planted.ts";
import type { Booking } from "../../packages/worlds/src/ledger/day.ts";

/** A booking of the model; its faults are its own. */
export type Own = Omit<Planted, "fault">;

export const isRight = ({ right, given }: Own): boolean =>
  right.amount === given.amount && right.from === given.from && right.to === given.to;

/** So many days of this seed, each booked `samples` times: the bookings of one event stand together. */
export async function ownBookings(days: number, seed: number, samples = 1): Promise<Own[][]> {
  const play = async (policy: string, tries: number) => {
    const world = { env: "ledger", envOptions: { level: "small", seed } } as const;
    const { trajectories } = await evaluate({
      ...world,
      policy,
      split: "train",
      tasks: days,
      samples: tries,
      temperature: 1,
      answerTokens: 12,
      seed,
      threads: 1,
    });
    return trajectories.flatMap(({ task, steps }) =>
      steps.flatMap(({ observation, action, valid }) => {
        const [, place = "", event = ""] = /^Event (\d+) of \d+: (.*)$/m.exec(observation) ?? [];
        const [, amount, from, to] = /^book (\d+) from (\w+) to (\w+)$/.exec(action.trim()) ?? [];
        if (!valid || amount === undefined) return [];
        return [{ key: `${task.id} ${place}`, event, booking: { amount: Number(amount), from, to } as Booking }];
      }),
    );
  };
  const right = new Map((await play("expert", 1)).map(({ key, booking }) => [key, booking]));
  const groups = new Map<string, Own[]>();
  for (const { key, event, booking } of await play("bundled", samples)) {
    const own = groups.get(key) ?? [];
    own.push({ event, right: right.get(key) as Booking, given: booking });
    groups.set(key, own);
  }
  return [...groups.values()];
}
