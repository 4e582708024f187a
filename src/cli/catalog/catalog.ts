/** The catalog of published systems: what each is, and whether it works here. */
import { readFileSync } from "node:fs";
import { EngineError } from "../../base/index.ts";
import { claims } from "./claims.ts";
import { reasonFor } from "./reasons.ts";

export type State = "works" | "part" | "not yet";

export const STATES: readonly State[] = ["works", "part", "not yet"];

/** One line of data/catalog.tsv; "-" in the repository column is no repository. */
export interface System {
  readonly system: string;
  readonly title: string;
  readonly family: string;
  readonly scope: string;
  readonly module: string;
  readonly what: string;
  readonly mechanism: string;
  readonly proof: string;
  readonly repository: string | null;
}

export interface Entry extends System {
  readonly state: State;
  /** Where it lives, when something is there. */
  readonly lives: string | null;
  /** One command that shows it. */
  readonly command: string | null;
  /** Why it does not work, or what is missing. */
  readonly reason: string | null;
}

const HEADER = "system\ttitle\tfamily\tscope\troom\twhat\tmechanism\tproof\trepo";

export function loadCatalog(): Entry[] {
  // The same distance away from the source and from the built file.
  return parseCatalog(readFileSync(new URL("../../../data/catalog.tsv", import.meta.url), "utf8")).map(join);
}

export function parseCatalog(text: string): System[] {
  const [header, ...lines] = text.trimEnd().split("\n");
  if (header !== HEADER)
    throw new EngineError("bad-catalog", `The catalog begins with "${header ?? ""}"; expected "${HEADER}".`);
  return lines.map((line, index) => {
    const cells = line.split("\t");
    if (cells.length !== 9) {
      throw new EngineError("bad-catalog", `Line ${index + 2} of the catalog has ${cells.length} fields; expected 9.`);
    }
    const [
      system = "",
      title = "",
      family = "",
      scope = "",
      module = "",
      what = "",
      mechanism = "",
      proof = "",
      repo = "",
    ] = cells;
    return { system, title, family, scope, module, what, mechanism, proof, repository: repo === "-" ? null : repo };
  });
}

function join(system: System): Entry {
  const claim = Object.hasOwn(claims, system.system) ? claims[system.system] : undefined;
  if (claim === undefined)
    return { ...system, state: "not yet", lives: null, command: null, reason: reasonFor(system) };
  return { ...system, state: claim.state, lives: claim.lives, command: claim.command, reason: claim.missing ?? null };
}
