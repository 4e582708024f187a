/** Why a system of the catalog does not work yet, in words a user understands. */
import { releases, type Release } from "../releases.ts";
import type { System } from "./system.ts";

/** The release that brings the module a system needs. A module that is here already, or has no date, is not listed. */
const moduleRelease: Readonly<Record<string, Release>> = {
  distill: "0.13",
  search: "0.14",
  serve: "0.12",
  skill: "0.10",
};

const PRESENT: ReadonlySet<string> = new Set([
  "credit",
  "env",
  "eval",
  "policy",
  "recipe",
  "reward",
  "rollout",
  "store",
  "train",
  "trajectory",
]);

/** Core systems come with their module, near ones after them, far ones last. */
const ORDER: Readonly<Record<string, string>> = {
  core: "",
  near: " Systems nearer to the core come first.",
  far: " It is far from text agents and comes last, if at all.",
};

export function reasonFor(system: Pick<System, "module" | "scope">): string {
  const order = ORDER[system.scope] ?? "";
  if (PRESENT.has(system.module)) return `Planned: the ${system.module} module is here, this method is not.${order}`;
  const release = moduleRelease[system.module];
  if (release === undefined) return `Planned: needs a module named ${system.module}, which has no release yet.${order}`;
  return `Planned: needs the ${system.module} module, which release ${release} brings (${releases[release]}).${order}`;
}
