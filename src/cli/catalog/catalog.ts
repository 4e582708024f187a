/** The catalog of published systems: what each is, and whether it works here. */
import { readFileSync } from "node:fs";
import { EngineError } from "../../base/index.ts";
import { reasonFor } from "./reasons.ts";
import { STATES, type Claim, type Entry, type System } from "./system.ts";

const CATALOG = ["system", "title", "family", "scope", "module", "what", "mechanism", "proof", "repository"] as const;
const CATALOG_HEADER = "system\ttitle\tfamily\tscope\troom\twhat\tmechanism\tproof\trepo";
const CLAIMS = ["system", "state", "lives", "command", "missing"] as const;

export function loadCatalog(): Entry[] {
  const claims = new Map(loadClaims().map((claim) => [claim.system, claim]));
  return parseCatalog(dataFile("catalog.tsv")).map((system) => {
    const { state, lives = null, command = null, missing } = claims.get(system.system) ?? {};
    const known = STATES.find((one) => one === state) ?? "not yet";
    return { ...system, state: known, lives, command, reason: missing === undefined ? reasonFor(system) : missing };
  });
}

export function loadClaims(): Claim[] {
  return parseClaims(dataFile("claims.tsv"));
}

/** The same distance away from the source and from the built file. */
function dataFile(name: string): string {
  return readFileSync(new URL(`../../../data/${name}`, import.meta.url), "utf8");
}

export function parseCatalog(text: string): System[] {
  return parseRows(text, CATALOG, CATALOG_HEADER).map((row) => ({ ...row, repository: unlessDash(row.repository) }));
}

function parseClaims(text: string): Claim[] {
  return parseRows(text, CLAIMS).map((row) => ({ ...row, missing: unlessDash(row.missing) }));
}

function unlessDash(cell: string): string | null {
  return cell === "-" ? null : cell;
}

function parseRows<Name extends string>(
  text: string,
  names: readonly Name[],
  wanted = names.join("\t"),
): Record<Name, string>[] {
  const [header = "", ...lines] = text.trimEnd().split("\n");
  if (header !== wanted)
    throw new EngineError("bad-catalog", `The catalog begins with "${header}"; expected "${wanted}".`);
  return lines.map((line, index) => {
    const cells = line.split("\t");
    if (cells.length === names.length) {
      return Object.fromEntries(names.map((name, at) => [name, cells[at]])) as Record<Name, string>;
    }
    throw new EngineError(
      "bad-catalog",
      `Line ${index + 2} of the catalog has ${cells.length} fields; expected ${names.length}.`,
    );
  });
}
