/** Where things of a kind were last seen. */
import { kindName, type Memory } from "../../packages/worlds/src/household/memory.ts";

export interface Spot {
  readonly receptacle: string;
  readonly thing: string;
}

export function spotsOf(memory: Memory, kind: string): readonly Spot[] {
  return [...memory.contents].flatMap(([receptacle, things]) =>
    things.filter((thing) => kindName(thing) === kind).map((thing) => ({ receptacle, thing })),
  );
}
