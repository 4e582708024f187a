/** The catalog of published systems: what each is, and whether it works here. */
import { readFileSync } from "node:fs";
import { EngineError } from "../../base/index.ts";
import { parseClaims, type Claim } from "./claim.ts";
import type { State } from "./state.ts";

const COLUMNS = ["system", "title", "family", "scope", "module", "what", "mechanism", "proof", "repository"] as const;
const HEADER = "system\ttitle\tfamily\tscope\troom\twhat\tmechanism\tproof\trepo";

/** One line of data/catalog.tsv; "-" in the repository column is no repository. */
export interface System extends Readonly<Record<Exclude<(typeof COLUMNS)[number], "repository">, string>> {
  readonly repository: string | null;
}

/** What JSON tells of a system: its line of the catalog, and its claim of data/claims.yaml in one shape for all states. */
export interface Entry extends System {
  readonly state: State;
  readonly lives: string | null;
  readonly command: string | null;
  /** What the command prints where the mechanism acts. */
  readonly metric: string | null;
  /** Tests and sections of the results that show what `proof` asks for. */
  readonly shownBy: readonly string[];
  /** Where it departs from the publication, what was measured, what is missing or what it waits for. */
  readonly reason: string | null;
}

export function loadCatalog(): Entry[] {
  const claims = loadClaims();
  return parseCatalog(dataFile("catalog.tsv")).map((system) => {
    const claim = claims.get(system.system);
    if (claim !== undefined) return { ...system, ...told(claim) };
    throw new EngineError("bad-catalog", `No claim for the system "${system.system}" in data/claims.yaml.`);
  });
}

export function loadClaims(): ReadonlyMap<string, Claim> {
  return parseClaims(dataFile("claims.yaml"));
}

function told(claim: Claim): Omit<Entry, keyof System> {
  const { state } = claim;
  const nothing = { state, lives: null, command: null, metric: null, shownBy: [] };
  if (state === "not yet") return { ...nothing, reason: `Waits for ${claim.waits}` };
  const { lives, command = null } = claim;
  if (state === "part") return { ...nothing, lives, command, reason: claim.missing };
  const { metric, proof: shownBy, departs = null } = claim;
  const reason = state === "works" ? departs : `${claim.figures} Likely cause: ${claim.cause}`;
  return { state, lives, command, metric, shownBy, reason };
}

/** The same distance away from the source and from the built file. */
function dataFile(name: string): string {
  return readFileSync(new URL(`../../../data/${name}`, import.meta.url), "utf8");
}

export function parseCatalog(text: string): System[] {
  const [header = "", ...lines] = text.trimEnd().split("\n");
  if (header !== HEADER)
    throw new EngineError("bad-catalog", `The catalog begins with "${header}"; expected "${HEADER}".`);
  return lines.map((line, index) => {
    const cells = line.split("\t");
    if (cells.length !== COLUMNS.length) {
      throw new EngineError(
        "bad-catalog",
        `Line ${index + 2} of the catalog has ${cells.length} fields; expected ${COLUMNS.length}.`,
      );
    }
    const row = Object.fromEntries(COLUMNS.map((name, at) => [name, cells[at]])) as Record<
      (typeof COLUMNS)[number],
      string
    >;
    return { ...row, repository: row.repository === "-" ? null : row.repository };
  });
}
