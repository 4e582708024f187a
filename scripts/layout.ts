/**
 * Where the sources lie. Each package has a folder of `packages`, its sources in `src`, and in that a folder for each room; three
 * packages are one room each. Inside a package files import each other by path, across packages by name:
 * `limbeck-core/credit/grpo` is `packages/core/src/credit/grpo.ts`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/** What agents install without the engine. */
export const RECORDER = "record/recorder";

/**
 * The packages from the bottom up, each with its rooms in data-flow order and what they may import besides `base`: rooms above in
 * this table alone, so that no package imports one below it here.
 */
export const PACKAGES: Readonly<Record<string, Readonly<Record<string, readonly string[] | "everything above">>>> = {
  recorder: { [RECORDER]: [] },
  base: { base: [], trajectory: [] },
  policy: { graph: [], policy: [RECORDER, "graph", "trajectory"] },
  core: {
    env: [RECORDER, "trajectory"],
    walk: ["trajectory", "env", "policy"],
    rollout: ["trajectory", "env", "policy", "walk"],
    reward: ["trajectory"],
    credit: ["trajectory"],
    skill: [RECORDER, "trajectory", "policy"],
    distill: ["trajectory", "policy", "skill"],
    objective: ["trajectory", "policy", "credit", "distill"],
    search: ["trajectory", "env", "policy", "walk", "reward", "skill"],
    orchestrate: ["trajectory", "env", "policy", "walk", "rollout", "reward", "skill"],
    eval: ["trajectory", "env", "policy", "walk", "rollout", "reward", "skill", "search"],
    update: "everything above",
    recipe: "everything above",
  },
  worlds: { worlds: [RECORDER, "trajectory", "env", "skill", "eval"] },
  store: {
    store: [RECORDER, "trajectory", "skill"],
    report: ["trajectory", "policy", "store"],
    record: "everything above",
  },
  training: { training: "everything above", arena: "everything above" },
  remote: { fleet: "everything above", "tinker-server": ["policy"] },
  studio: { serve: "everything above", mcp: [RECORDER, "skill", "serve"] },
  testing: { testing: [RECORDER, "trajectory", "env", "walk", "reward", "eval", "worlds"] },
  limbeck: { run: "everything above", cli: "everything above", doors: "everything above" },
};

/** Packages that are one room: their `src` is the room. */
const ONE_ROOM = new Set(["recorder", "worlds", "testing"]);

const PACKAGE_OF = new Map(
  Object.entries(PACKAGES).flatMap(([name, rooms]) => Object.keys(rooms).map((room) => [room, name] as const)),
);

/** The folders of all sources. */
export const sourceFolders: readonly string[] = Object.keys(PACKAGES).map((name) => `packages/${name}/src`);

export interface Source {
  /** By room: `credit/grpo.ts`. */
  readonly path: string;
  readonly text: string;
}

/** Every source of the packages, tests included. */
export function sourcesIn(root: string): Source[] {
  return Object.keys(PACKAGES).flatMap((name) => {
    const folder = join(root, "packages", name, "src");
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => ({
        path: roomPath(`packages/${name}/src/${path.split(sep).join("/")}`) ?? path,
        text: readFileSync(join(folder, path), "utf8"),
      }));
  });
}

/** `packages/core/src/credit/grpo.ts` as `credit/grpo.ts`; undefined for what is no source. */
export function roomPath(file: string): string | undefined {
  const [, name = "", rest = ""] = /^packages\/([\w-]+)\/src\/(.+)$/.exec(file) ?? [];
  const [room = ""] = Object.keys(PACKAGES[name] ?? {});
  if (room === "") return undefined;
  return ONE_ROOM.has(name) ? `${room}/${rest}` : rest;
}

/** The other way round; a path of no room stays. */
export function fileOf(path: string): string {
  const room = path.startsWith(`${RECORDER}/`) ? RECORDER : (path.split("/")[0] ?? "");
  const name = PACKAGE_OF.get(room);
  if (name === undefined) return path;
  return `packages/${name}/src/${ONE_ROOM.has(name) ? path.slice(room.length + 1) : path}`;
}

/** What a name of another package means, as a path by room: `limbeck-core/credit/grpo` is `credit/grpo.ts`. */
export function namedPath(specifier: string): string | undefined {
  const [, name = "", rest = "index"] = /^limbeck-(\w+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return Object.hasOwn(PACKAGES, name) ? roomPath(`packages/${name}/src/${rest}.ts`) : undefined;
}
