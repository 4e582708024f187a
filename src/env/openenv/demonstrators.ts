/** Demonstrators of a server: what they would do is asked over HTTP, with all that was seen. */
import { EngineError } from "../../base/index.ts";
import type { Demonstrator } from "../expert.ts";
import type { ServerAddress } from "./address.ts";
import { askAdvice, type Limits } from "./discover.ts";
import { cleaned } from "./text.ts";
import type { Extension } from "./wire.ts";

/** Draws of a demonstrator that guesses come from a number, which the server can be told. */
const SEEDS = 2 ** 31;

/** By id, in the server's order; undefined where it offers none. */
export function serverDemonstrators(
  extension: Extension | undefined,
  address: ServerAddress,
  limits: Limits,
): Readonly<Record<string, Demonstrator>> | undefined {
  const offered = extension?.demonstrators ?? [];
  if (offered.length === 0) return undefined;
  return Object.fromEntries(
    offered.map(({ id, summary }) => [id, remoteDemonstrator(id, cleaned(summary, 500), address, limits)]),
  );
}

function remoteDemonstrator(id: string, summary: string, address: ServerAddress, limits: Limits): Demonstrator {
  return {
    id,
    summary,
    start: () => {
      throw new EngineError("needs-unmet", `The demonstrator ${id} lives on ${address.shown}: ask it by "advise".`);
    },
    advise: async (task, past, rng) => {
      const index = task.data?.["index"];
      if (typeof index !== "number") {
        throw new EngineError(
          "bad-input",
          `Task "${task.id}" was not listed by an OpenEnv server: its data has no index.`,
        );
      }
      const seen = past.map(({ action, observation, admissible }) => ({
        action: action ?? null,
        observation,
        admissible: admissible === undefined ? null : [...admissible],
      }));
      const place = { split: task.split ?? "train", index, task: task.id };
      return await askAdvice(address, { demonstrator: id, seed: rng.int(SEEDS), ...place, past: seen }, limits);
    },
  };
}
