/** The official ALFWorld games that nobody trains on, by kind of errand; solutions are the walkthroughs of their files. */
import { EngineError } from "limbeck-base/base/errors";
import { createAlfworld, openLibrary } from "limbeck-worlds/alfworld/alfworld";
import { parseGameFile } from "limbeck-worlds/alfworld/game-file";
import { taskFamily } from "limbeck-core/eval/profile";
import type { SuiteInput } from "../suite.ts";
import type { PublicSet } from "./set.ts";

const TRAINED = "train";

export const alfworld: PublicSet = {
  id: "alfworld",
  meaning: "ALFWorld's household games, each split but train.",
  from: "ALFWorld's own download command (alfworld-download), the folder above the splits",
  load: async (folder) => {
    const library = await openLibrary(folder);
    const env = await createAlfworld({ root: folder });
    const tasks: SuiteInput["tasks"] = [];
    for (const split of Object.keys(env.splits).filter((name) => name !== TRAINED)) {
      let at = 0;
      for await (const task of env.tasks(split)) {
        const path = task.data?.["game"];
        if (typeof path !== "string") continue;
        const { walkthrough } = parseGameFile(await library.read(path), path);
        tasks.push({
          id: task.id,
          world: "alfworld",
          options: { root: "$data" },
          split,
          at,
          buckets: [split, taskFamily(task) ?? "other"],
          ...(walkthrough ? { solution: walkthrough.join("\n") } : {}),
        });
        at += 1;
      }
    }
    if (tasks.length > 0) return { suite: "alfworld", meaning: "ALFWorld, the games held out.", tasks };
    throw new EngineError("no-games", `${JSON.stringify(folder)} has no split of games but ${TRAINED}.`);
  },
};
