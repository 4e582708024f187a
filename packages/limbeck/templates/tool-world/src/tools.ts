/** The tools: what each takes and what it does to the shelves of a small warehouse. Put your own in their place. */
import type { JsonObject } from "limbeck";

/** Pieces of each item. A call makes new shelves, so that copies of an episode stay apart. */
export type Shelves = Readonly<Record<string, number>>;

export interface Outcome {
  readonly ok: boolean;
  readonly text: string;
  readonly shelves: Shelves;
  /** What was shipped, where something was. */
  readonly shipped?: { readonly item: string; readonly pieces: number };
}

interface Tool {
  readonly description: string;
  /** JSON Schema, as chat models are given it. */
  readonly parameters: JsonObject;
  readonly run: (args: JsonObject, shelves: Shelves) => Outcome;
}

const item = { type: "string", description: "name of the item" };
const pieces = { type: "integer", minimum: 1, description: "how many" };

export const tools: Readonly<Record<string, Tool>> = {
  count: {
    description: "Says how many pieces of an item are there.",
    parameters: { type: "object", properties: { item }, required: ["item"] },
    run: (args, shelves) => {
      const found = stock(args, shelves);
      if (found === undefined) return refused("There is no such item.", shelves);
      return { ok: true, text: `${found.pieces} pieces`, shelves };
    },
  },
  ship: {
    description: "Ships pieces of an item. It ends the task.",
    parameters: { type: "object", properties: { item, pieces }, required: ["item", "pieces"] },
    run: (args, shelves) => {
      const found = stock(args, shelves);
      const wanted = args["pieces"];
      if (found === undefined) return refused("There is no such item.", shelves);
      if (typeof wanted !== "number" || !Number.isInteger(wanted) || wanted < 1) {
        return refused("pieces is a whole number, at least 1.", shelves);
      }
      if (wanted > found.pieces) return refused(`Only ${found.pieces} pieces are there.`, shelves);
      const left = { ...shelves, [found.item]: found.pieces - wanted };
      return { ok: true, text: `Shipped ${wanted}.`, shelves: left, shipped: { item: found.item, pieces: wanted } };
    },
  },
};

/** The same in the form of chat services. */
export const definitions: readonly JsonObject[] = Object.entries(tools).map(([name, { description, parameters }]) => ({
  type: "function",
  function: { name, description, parameters },
}));

export function callTool(name: string, args: JsonObject, shelves: Shelves): Outcome {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined) return refused(`There are the tools ${Object.keys(tools).join(", ")}.`, shelves);
  return tool.run(args, shelves);
}

function stock(args: JsonObject, shelves: Shelves): Outcome["shipped"] {
  const name = args["item"];
  const there = typeof name === "string" && Object.hasOwn(shelves, name) ? shelves[name] : undefined;
  return typeof name !== "string" || there === undefined ? undefined : { item: name, pieces: there };
}

function refused(text: string, shelves: Shelves): Outcome {
  return { ok: false, text, shelves };
}
