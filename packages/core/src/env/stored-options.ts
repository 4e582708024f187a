/**
 * Options of a world that were read from a run, a plan, a file or a job. They are data: their author may start no
 * program here and have no address called, unless the person at this machine says so. Options that were typed are that
 * person's word and do not come by here.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { World, WorldOptions } from "./world.ts";

/** What a person allows data to do. */
export interface Allowed {
  readonly commands?: boolean;
  readonly addresses?: boolean;
}

export interface StoredOptions {
  readonly id: string;
  readonly world: World;
  readonly options: WorldOptions;
  /** Where they come from, at the beginning of a sentence: 'The run "a"'. */
  readonly source: string;
  readonly allowed: Allowed;
  /** What the person starts, and would give another option: "limbeck studio". */
  readonly command: string;
}

const SHOWN = 300;

/** Throws where the options reach further than is allowed. Call it before the world is made. */
export function checkStoredOptions({ id, world, options, source, allowed, command }: StoredOptions): void {
  const refused = (what: "command" | "address", value: unknown): EngineError => {
    const wanted = what === "command" ? "start a program" : "call an address";
    const option = what === "command" ? "--allow-commands" : "--allow-addresses";
    return new EngineError(
      `${what}-refused`,
      `${source} wants to ${wanted} for the world ${id}: ${JSON.stringify(value).slice(0, SHOWN)}. What is read from files and jobs does so only with your word. If you trust where it comes from: ${command} ${option}.`,
      { details: { world: id } },
    );
  };
  const named = world.programs?.find((name) => options[name] !== undefined);
  const program = allowed.commands === true ? undefined : (programIn(options) ?? (named && options[named]));
  if (program !== undefined) throw refused("command", program);
  const called = world.addresses?.find((name) => options[name] !== undefined);
  if (called !== undefined && allowed.addresses !== true) throw refused("address", options[called]);
}

/** The first object that names a `command`, at any depth, in the options of any world: no world can forget to say so. */
function programIn(options: WorldOptions): object | undefined {
  const waiting: unknown[] = [options];
  for (const value of waiting) {
    if (typeof value !== "object" || value === null) continue;
    if ("command" in value) return value;
    for (const inner of Object.values(value)) waiting.push(inner);
  }
  return undefined;
}
