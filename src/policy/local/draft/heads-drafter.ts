/**
 * Guesses by heads on the model's last hidden state. The model has made that state anyway, so a guess costs one small step where
 * a draft model would have to read everything first.
 */
import type { Program } from "../../../graph/index.ts";
import { elementCount } from "../../../graph/tensor.ts";
import { bucket } from "../buckets.ts";
import type { Prediction } from "../draw.ts";
import { EMBEDDINGS, headName, type ModelConfig } from "../model-config.ts";
import type { Sequence } from "../sequence.ts";
import {
  beginWays,
  createReader,
  goesOn,
  growTrees,
  longer,
  OTHERS,
  type Expand,
  type Guesser,
  type Way,
} from "./guesser.ts";
import { COLDEST } from "../../policy.ts";

/** Heads at work: what they learnt, and the program of so many rows (`guessGraph`). */
export interface DraftHeads {
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly program: (rows: number) => Promise<Program>;
}

interface HeadsWay extends Way {
  /** The state before the word at its end. */
  readonly state: Float32Array;
  readonly word: number;
}

/** A way that is less likely than this is not followed: the next step would cost more than it is worth. */
const DIM = 0.2;
/** A single row takes another path of the runtime. */
const LEAST_ROWS = 2;

/** `weights` are the model's. */
export function createHeadsDrafter(
  config: ModelConfig,
  weights: Readonly<Record<string, Float32Array>>,
  heads: DraftHeads,
  maxRows: number,
): Guesser {
  const { hiddenSize, vocabularySize } = config;
  const reader = createReader();
  const words = [EMBEDDINGS, headName(config)];
  const held = { ...heads.weights, ...Object.fromEntries(words.map((name) => [name, weights[name] as Float32Array])) };
  const kept = new Map<number, Room>();

  const step = async (ways: readonly HeadsWay[], expand: Expand): Promise<HeadsWay[]> => {
    const rows = bucket(ways.length, LEAST_ROWS, (OTHERS + 1) * maxRows);
    const program = await heads.program(rows);
    const room = kept.get(rows) ?? createRoom(program, rows, hiddenSize);
    kept.set(rows, room);
    ways.forEach(({ state, word, sequence: { temperature } }, at) => {
      room.state.set(state, at * hiddenSize);
      room.ids[at] = BigInt(word);
      room.sharpness[at] = temperature >= COLDEST ? 1 / temperature : 1;
    });
    const { state, ids, sharpness } = room;
    const results = await program.run({ ...held, state, ids, sharpness }, room.into);
    const part = (name: string, at: number, size: number): Float32Array =>
      (results[name] as Float32Array).subarray(at * size, (at + 1) * size);
    return ways.flatMap((way, at) => {
      const prediction: Prediction = {
        logprobs: part("logprobs", at, vocabularySize),
        probabilities: part("probabilities", at, vocabularySize),
      };
      const chosen = reader.nodesOf(way, prediction, expand);
      if (chosen.length === 0) return [];
      const after = part("next", at, hiddenSize).slice();
      return chosen
        .map((node) => ({ ...longer(way, node, chosen.length > 1), state: after, word: node.token }))
        .filter((going) => goesOn(going) && (going.tree.reach[going.node] as number) >= DIM);
    });
  };

  return {
    draft: (sequences, most, expand) => {
      const begun = beginWays(sequences.filter(knowsState), most, config.contextLength).map((way): HeadsWay => {
        const { state, tokens, count } = way.sequence;
        return { ...way, state: state?.values as Float32Array, word: tokens[count - 1] as number };
      });
      return growTrees(sequences, begun, (ways) => step(ways, expand));
    },
    judge: reader.judge,
  };
}

/** Whether the state is the one that the last token was drawn from. */
function knowsState({ state, count }: Sequence): boolean {
  return state?.count === count;
}

/** What a step is fed with and writes to; the runtime knows the same arrays again. */
interface Room {
  readonly state: Float32Array;
  readonly ids: BigInt64Array;
  readonly sharpness: Float32Array;
  readonly into: Readonly<Record<string, Float32Array>>;
}

function createRoom({ model }: Program, rows: number, hiddenSize: number): Room {
  const results = Object.entries(model.outputs).map(
    ([name, { shape }]) => [name, new Float32Array(elementCount(shape))] as const,
  );
  return {
    state: new Float32Array(rows * hiddenSize),
    ids: new BigInt64Array(rows),
    sharpness: new Float32Array(rows).fill(1),
    into: Object.fromEntries(results),
  };
}
