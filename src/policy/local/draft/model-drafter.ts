/**
 * Guesses by a smaller model with the same words. It draws with the random numbers that the response is going to draw with: where
 * both models see the next token alike, both draw the same. What is said stays what it would be without it.
 */
import type { Program } from "../../../graph/index.ts";
import { createArenaPool } from "../arena-pool.ts";
import type { DecodeShape } from "../decode-graph.ts";
import { copyStore, createStore, type KeyValueStore } from "../key-value.ts";
import { createLane, type Lane, type LaneRow } from "../lane.ts";
import type { ModelConfig } from "../model-config.ts";
import { rotaryValues } from "../rotary.ts";
import type { Speaker } from "../speaker.ts";
import { compressed } from "./compressed-context.ts";
import { NO_DRAFT, type Node } from "./tree.ts";
import { beginWays, createReader, goesOn, longer, OTHERS, type Expand, type Guesser, type Way } from "./ways.ts";

export interface DraftModel {
  readonly config: ModelConfig;
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly program: (shape: DecodeShape) => Promise<Program>;
}

/** Tokens read at a time, and how many are left to the next lane. */
const WIDTHS = [32, 8] as const;
const LEAST = [8, 0] as const;

interface Shadow extends LaneRow {
  temperature: number;
}

interface ModelWay extends Way {
  readonly shadow: Shadow;
}

/** `most`: tokens of a context that it reads, the first and the last. Default: all of them. */
export function createModelDrafter({ config, weights, program }: DraftModel, maxRows: number, most?: number): Guesser {
  const known = new Map<number, Readonly<Record<string, Float32Array>>>();
  const tables = (positions: number): Readonly<Record<string, Float32Array>> => {
    const made = known.get(positions) ?? rotaryValues(config, positions);
    known.set(positions, made);
    return made;
  };
  const shared = { config, weights, program, tables, maxRows: (OTHERS + 1) * maxRows, least: { rows: 2, tall: [] } };
  const pool = createArenaPool(config);
  const laneOf = (width: number): Lane<Shadow> => createLane<Shadow>({ ...shared, width, pool });
  const [reading, speaking] = [WIDTHS.map(laneOf), laneOf(1)];
  // By what a conversation has read: one that is thought further has the same.
  const shadows = new WeakMap<KeyValueStore, Shadow>();
  const reader = createReader();

  /** The same conversation as this model has read it; what was guessed and not said is forgotten. */
  const shadowOf = (speaker: Speaker): Shadow => {
    const { temperature } = speaker;
    const tokens = compressed(speaker.tokens, speaker.count, most);
    const count = tokens.length;
    const before = shadows.get(speaker.store);
    const shadow = before ?? {
      store: createStore(),
      tokens: new Int32Array(0),
      count,
      cached: 0,
      temperature,
      draft: NO_DRAFT,
    };
    let same = 0;
    while (same < Math.min(shadow.cached, count - 1) && shadow.tokens[same] === tokens[same]) same += 1;
    Object.assign(shadow.store, copyStore(shadow.store, same));
    const own = new Int32Array(tokens.length + WIDTHS[0]);
    own.set(tokens);
    Object.assign(shadow, { tokens: own, count, cached: same, temperature });
    shadows.set(speaker.store, shadow);
    return shadow;
  };

  /** Everything but the last token, whose prediction is wanted. */
  const read = async (all: readonly Shadow[]): Promise<void> => {
    for (const shadow of all) shadow.count -= 1;
    for (const [at, lane] of reading.entries()) {
      const pending = ({ count, cached }: Shadow): boolean => count - cached > (LEAST[at] as number);
      lane.join(all.filter(pending));
      while (lane.rows.length > 0) {
        await lane.step();
        lane.leave(lane.rows.filter((shadow) => !pending(shadow)));
      }
    }
    for (const shadow of all) shadow.count += 1;
  };

  /** One more token at the end of each way. Those that go on are given back, and where a way has branched, all its branches. */
  const step = async (ways: readonly ModelWay[], expand: Expand): Promise<ModelWay[]> => {
    const inside = new Set(speaking.rows);
    speaking.join(ways.map(({ shadow }) => shadow).filter((shadow) => !inside.has(shadow)));
    const predictions = await speaking.step();
    const rows = new Map(speaking.rows.map((shadow, at) => [shadow, at]));
    const chosen = ways.map((way) => {
      const nodes = expand(way, reader.nodesOf(way, predictions(rows.get(way.shadow) as number)));
      return nodes.slice(0, way.most - way.tree.tokens.length);
    });
    speaking.leave(ways.filter((_, at) => chosen[at]?.length !== 1).map(({ shadow }) => shadow));
    const next = ways.flatMap((way, at) => grown(way, chosen[at] as readonly Node[])).filter(goesOn);
    const going = new Set(next.map(({ shadow }) => shadow));
    speaking.leave(speaking.rows.filter((shadow) => !going.has(shadow)));
    return next;
  };

  return {
    draft: async (speakers, nodes, expand) => {
      const begun = beginWays(speakers, nodes, most === undefined ? config.contextLength : Infinity);
      let ways = begun.map((way): ModelWay => ({ ...way, shadow: shadowOf(way.speaker) }));
      const trees = new Map(ways.map(({ speaker, tree }) => [speaker, tree]));
      ways = ways.filter(goesOn);
      try {
        await read(ways.map(({ shadow }) => shadow));
        while (ways.length > 0) ways = await step(ways, expand);
      } finally {
        for (const lane of [...reading, speaking]) lane.leave([...lane.rows]);
      }
      return speakers.map((speaker) => trees.get(speaker) ?? NO_DRAFT);
    },
    judge: (source, right) => reader.judge(source, right),
  };
}

/** The way, longer by each of the nodes. The first goes on as it is; the others begin with a copy of what it has read. */
function grown(way: ModelWay, nodes: readonly Node[]): ModelWay[] {
  const { shadow } = way;
  const copies = nodes.map((_, at) =>
    at === 0
      ? shadow
      : { ...shadow, tokens: shadow.tokens.slice(), store: copyStore(shadow.store, shadow.store.length) },
  );
  return nodes.map((next, at) => {
    const own = copies[at] as Shadow;
    own.tokens[own.count] = next.token;
    own.count += 1;
    return { ...longer(way, next, nodes.length > 1), shadow: own };
  });
}
