/**
 * Method and path of every endpoint. The types come from the server's own table, so a path that moves there does not
 * compile here; the table itself stays on the server, because its schemas would double the size of the page.
 */
import type { EndpointName, Endpoints } from "../../../src/serve/api.ts";

export type Addresses = {
  readonly [Name in EndpointName]: Pick<Endpoints[Name], "method" | "path">;
};

export const addresses: Addresses = {
  meta: { method: "get", path: "/api/meta" },
  runs: { method: "get", path: "/api/runs" },
  run: { method: "get", path: "/api/runs/{run}" },
  compare: { method: "get", path: "/api/compare" },
  label: { method: "post", path: "/api/runs/{run}/labels" },
  trainings: { method: "get", path: "/api/trainings" },
  startTraining: { method: "post", path: "/api/trainings/start" },
  stopTraining: { method: "post", path: "/api/trainings/stop" },
  trajectories: { method: "get", path: "/api/trajectories" },
  facets: { method: "get", path: "/api/facets" },
  sql: { method: "post", path: "/api/sql" },
  trajectory: { method: "get", path: "/api/runs/{run}/trajectory" },
  steps: { method: "get", path: "/api/runs/{run}/steps" },
  entropy: { method: "get", path: "/api/runs/{run}/entropy" },
  text: { method: "get", path: "/api/runs/{run}/text" },
  state: { method: "get", path: "/api/runs/{run}/state" },
  find: { method: "get", path: "/api/runs/{run}/find" },
  judge: { method: "post", path: "/api/runs/{run}/judge" },
  groups: { method: "get", path: "/api/runs/{run}/groups" },
  group: { method: "get", path: "/api/runs/{run}/group" },
  skills: { method: "get", path: "/api/skills" },
  skill: { method: "get", path: "/api/skill" },
  decide: { method: "post", path: "/api/skill/decision" },
  arenas: { method: "get", path: "/api/arenas" },
  arena: { method: "get", path: "/api/arenas/{arena}" },
  fleet: { method: "get", path: "/api/fleet" },
  playMenu: { method: "get", path: "/api/play" },
  openGame: { method: "post", path: "/api/play/open" },
  game: { method: "get", path: "/api/play/game" },
  act: { method: "post", path: "/api/play/act" },
  advice: { method: "get", path: "/api/play/advice" },
  hint: { method: "get", path: "/api/play/hint" },
};
