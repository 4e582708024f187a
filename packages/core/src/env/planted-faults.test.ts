/** Worlds with one fault each, with and without a list of actions: `limbeck check` finds every one, and none in the honest world. */
import { describe, expect, test } from "vitest";
import { scored } from "limbeck-base/trajectory/score";
import { createCorridor } from "./corridor.ts";
import { checkEnv } from "./env.contract.ts";
import type { Env, Episode, StepResult } from "./env.ts";
import type { Demonstrator } from "./expert.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

const expert: Demonstrator = {
  id: "expert",
  summary: "Goes east.",
  start: () => ({ next: () => "go east" }),
};

type Change = (episode: Episode, result: StepResult) => StepResult;

/** Answers changed after each step; what an episode shows is what its last step gave. */
function answering(episode: Episode, change: Change, shown?: StepResult): Episode {
  let last = shown;
  return wrapEpisode(episode, {
    get observation() {
      return last?.observation ?? episode.observation;
    },
    get success() {
      return last === undefined ? episode.success : last.success;
    },
    step: async (action) => {
      last = change(episode, await episode.step(action));
      return last;
    },
    fork: async () => answering(await episode.fork(), change, last),
  });
}

const seen =
  (text: (at: string) => string): Change =>
  (_, result) =>
    result.valid ? { ...result, observation: text(result.observation) } : result;

function counted(): () => number {
  let count = 0;
  return () => (count += 1);
}

/** A fork that walks with its original once it has taken a step of its own. */
function sharing(episode: Episode): Episode {
  return wrapEpisode(episode, {
    fork: async () => {
      const fork = await episode.fork();
      return wrapEpisode(fork, {
        step: async (action) => {
          if (episode.ending === undefined) await episode.step(action).catch((error: unknown) => error);
          return await fork.step(action);
        },
        fork: () => fork.fork(),
      });
    },
  });
}

/** Ends with the first step that an episode takes after its end. */
function endless(episode: Episode): Episode {
  return wrapEpisode(episode, {
    step: async (action) =>
      episode.ending === undefined
        ? await episode.step(action)
        : { observation: "Still here.", reward: scored(0), valid: true, ending: undefined, success: null },
    fork: async () => endless(await episode.fork()),
  });
}

const faults: Record<string, () => Env> = {
  "random answers": () => {
    const next = counted();
    return wrapEnv(createCorridor(), (episode) =>
      answering(
        episode,
        seen((text) => `${text} Draught ${next()}.`),
      ),
    );
  },
  "memory that leaks from one episode to the next": () => {
    let visits = 0;
    const change = seen((text) => (text === "Room 3." ? `${text} Visit ${(visits += 1)}.` : text));
    return wrapEnv(createCorridor(), (episode) => answering(episode, change));
  },
  "episodes side by side that share a place": () => {
    let open = 0;
    return wrapEnv(createCorridor(), (inner) => {
      open += 1;
      const change = seen((text) => (open > 1 ? `${text} Somebody else is here.` : text));
      const episode = answering(inner, change);
      return wrapEpisode(episode, {
        close: async () => {
          open = 0;
          await inner.close();
        },
        fork: async () => {
          const [fork, before] = [await inner.fork(), open];
          return answering(
            fork,
            seen((text) => (before > 1 ? `${text} Somebody else is here.` : text)),
          );
        },
      });
    });
  },
  "success that is decided too early": () =>
    wrapEnv(createCorridor(), (episode) =>
      answering(episode, (_, result) => ({ ...result, success: result.success ?? false })),
    ),
  "success that is claimed on the way": () =>
    wrapEnv(createCorridor(), (episode) =>
      answering(episode, (at, result) => ({
        ...result,
        success: at.observation === "Room 3." ? true : result.success,
      })),
    ),
  "a fork that shares memory": () => wrapEnv(createCorridor(), sharing),
  "rewards that do not add up": () =>
    wrapEnv(createCorridor(), (episode) =>
      answering(episode, (_, result) => (result.valid ? { ...result, reward: scored(0.5) } : result)),
    ),
  "an episode that goes on after its end": () => wrapEnv(createCorridor(), endless),
  "an episode that outlasts its limit": () =>
    wrapEnv(createCorridor({ rooms: 9, maxSteps: 40 }), (episode) => episode, { maxSteps: 4 }),
  "keys that tell equal states apart": () => {
    const next = counted();
    const keyed = (episode: Episode, key = ""): Episode =>
      wrapEpisode(episode, {
        get stateKey() {
          return `${episode.stateKey}${key}`;
        },
        step: async (action) => {
          const result = await episode.step(action);
          key = result.valid ? ` ${next()}` : key;
          return result;
        },
        fork: async () => keyed(await episode.fork(), key),
      });
    return wrapEnv(createCorridor(), (episode) => keyed(episode));
  },
  "tasks in another order each time": () => {
    const next = counted();
    return wrapEnv(createCorridor(), (episode) => episode, {
      tasks: (split, { offset = 0, count = 8 } = {}) => {
        const all = [...(createCorridor().tasks(split) as Iterable<never>)];
        return next() % 2 === 0 ? all.slice(offset, offset + count) : all.toReversed().slice(offset, offset + count);
      },
    });
  },
  "a demonstrator that no task lets win": () => createCorridor({ rooms: 40, maxSteps: 5 }),
};

/** The same world where actions are free text. */
const unlisted = (env: Env): Env => {
  const without = (episode: Episode): Episode =>
    wrapEpisode(episode, { admissible: () => undefined, fork: async () => without(await episode.fork()) });
  return wrapEnv(env, without);
};

const options = { demonstrators: { expert }, runs: 10, seed: 1 };

describe.each([
  ["with a list of actions", (env: Env) => env],
  ["without one", unlisted],
])("%s", (_, as) => {
  test("the honest world keeps every promise", async () => {
    await expect(checkEnv(as(createCorridor()), options)).resolves.toMatchObject({ checked: expect.any(Array) });
  });

  test.each(Object.entries(faults))("found: %s", async (__, make) => {
    await expect(checkEnv(as(make()), options)).rejects.toMatchObject({ code: "env-contract" });
  });
});

test("a demonstrator that draws lots of its own is named", async () => {
  const next = counted();
  const fickle: Demonstrator = {
    id: "fickle",
    summary: "Goes where it likes.",
    start: () => ({ next: () => (next() % 7 === 0 ? "go west" : "go east") }),
  };
  const checked = checkEnv(createCorridor(), { ...options, demonstrators: { fickle } });
  await expect(checked).rejects.toThrow(/demonstrator "fickle"/);
});

test("a world of which no accepted action is known is not called good", async () => {
  await expect(checkEnv(unlisted(createCorridor()), { runs: 3, seed: 1 })).rejects.toThrow(
    /no action that it accepts is known.*demonstrator/i,
  );
});
