/** Speaking with guesses: who guesses, how much is guessed at a time, and what came of it. */
import { EngineError } from "../../../base/errors.ts";
import type { Lane } from "../lane.ts";
import type { ModelConfig } from "../model-config.ts";
import type { Speaker, Turn } from "../speaker.ts";
import { chainExpansion, delayedExpansion, type Delay } from "./delayed.ts";
import { chainOf, type Drafted } from "./drafter.ts";
import { gooseTree } from "./goose.ts";
import { grafted } from "./graft.ts";
import { DRAFT_TREES, DRAFTS, type DraftChoice } from "./kinds.ts";
import { createModelDrafter, MODEL_SOURCES, type DraftModel, type ModelDrafter } from "./model-drafter.ts";
import { createPace, type Pass } from "./pace.ts";
import { NO_DRAFT, pruned, type DraftTree } from "./tree.ts";
import { createWordMemory } from "./word-memory.ts";

export interface DraftingOptions extends Omit<DraftChoice, "draftModel"> {
  readonly drafter?: DraftModel | undefined;
  /** Where the trees of a draft model branch. */
  readonly draftDelay?: Delay | undefined;
}

export interface Drafting {
  /** Most tokens of a row in one pass. */
  readonly widest: number;
  /** Guesses for everyone in the lane, before its next step. */
  guess(lane: Lane<Speaker>): Promise<void>;
  /** A node of the draft was reached and this child of it was said, or -1: none of them. */
  judge(draft: DraftTree, node: number, child: number): void;
  /** What the step took. */
  took(pass: Pass): void;
}

/** A pass is as wide as a power of two; the widest that a graph is made for. */
const MOST_NODES = 63;

/** Undefined where nothing is guessed. */
export function createDrafting(options: DraftingOptions, config: ModelConfig, maxRows: number): Drafting | undefined {
  const { draft = "off", draftTree = "chain" } = options;
  refuseUnknown(options);
  if (draft === "off") return undefined;
  const nodes = options.draftNodes ?? (draft === "auto" ? 15 : 7);
  // Within a window's length every new token sees all the others.
  const widest = Math.min(2 ** Math.ceil(Math.log2(nodes + 1)), config.window?.size ?? Infinity);
  const memory = createWordMemory();
  const pace = draft === "auto" ? createPace() : undefined;
  const model = draft === "model" ? createModelDrafter(options.drafter as DraftModel, maxRows) : undefined;
  const expand = draftTree === "chain" ? chainExpansion : delayedExpansion(options.draftDelay);

  const mostFor = ({ count }: Speaker): number => Math.min(nodes, widest - 1, config.contextLength - count - 1);
  const known = (speaker: Speaker, { response }: Turn): Drafted => {
    const { tokens, count } = speaker;
    return { tokens, count, response, most: mostFor(speaker) };
  };
  const remembered = (speaker: Speaker): DraftTree => {
    if (speaker.turn === undefined) return NO_DRAFT;
    return (draftTree === "goose" ? gooseTree : chainOf)(memory, known(speaker, speaker.turn));
  };
  const proposed = async (drafter: ModelDrafter, rows: readonly Speaker[]): Promise<DraftTree[]> => {
    const trees = await drafter.draft(rows, mostFor, expand);
    if (draftTree !== "graft") return trees;
    return rows.map((row, at) => {
      const tree = trees[at] as DraftTree;
      return row.turn === undefined ? tree : grafted(memory, tree, known(row, row.turn));
    });
  };
  return {
    widest,
    guess: async ({ rows, company }) => {
      for (const speaker of rows) {
        memory.learn(speaker.tokens, speaker.learned, speaker.count);
        speaker.learned = speaker.count;
      }
      const drafts = model === undefined ? rows.map(remembered) : await proposed(model, rows);
      const hopes = pace === undefined ? [] : hopesOf(drafts, widest);
      const width = pace?.width(company, (wide) => hopes[Math.min(wide, widest)] as number) ?? widest;
      rows.forEach((speaker, at) => {
        speaker.draft = pruned(drafts[at] as DraftTree, width - 1);
      });
    },
    judge: ({ parents, sources }, node, child) => {
      parents.forEach((parent, at) => {
        if (parent !== node) return;
        const source = sources[at] as number;
        if (source >= MODEL_SOURCES) model?.judge(source, at === child);
        else memory.judge(source, at === child);
      });
    },
    took: (pass) => pace?.took(pass),
  };
}

function refuseUnknown({ draft = "off", draftTree = "chain", drafter, draftNodes = 1 }: DraftingOptions): void {
  const refuse = (message: string): EngineError => new EngineError("bad-option", message);
  if (!DRAFTS.includes(draft)) throw refuse(`draft is "${draft as string}"; allowed: ${DRAFTS.join(", ")}.`);
  if (!DRAFT_TREES.includes(draftTree)) {
    throw refuse(`draftTree is "${draftTree as string}"; allowed: ${DRAFT_TREES.join(", ")}.`);
  }
  if (!(Number.isInteger(draftNodes) && draftNodes >= 1 && draftNodes <= MOST_NODES)) {
    throw refuse(`draftNodes is ${draftNodes}; allowed: a whole number from 1 to ${MOST_NODES}.`);
  }
  if (draft === "model" && drafter === undefined) {
    throw refuse("draft model needs draftModel: a smaller model with the same tokenizer.");
  }
  if (drafter !== undefined && draft !== "model") {
    throw refuse(`A draft model guesses with draft "model"; draft is "${draft}". Say so, or leave draftModel out.`);
  }
  const byModel = draftTree === "delayed" || draftTree === "graft";
  if (byModel && draft !== "model") {
    throw refuse(
      `The draft tree ${draftTree} grows from a draft model; draft is "${draft}". Choose draft model, or the tree chain or goose.`,
    );
  }
  if (draftTree === "goose" && draft === "model") {
    throw refuse(
      "The draft tree goose grows from n-grams; choose draft ngram or auto, or the tree chain, delayed or graft.",
    );
  }
}

/** Tokens that a pass of each width would say: one for each row, and the guesses that come true. */
function hopesOf(drafts: readonly DraftTree[], widest: number): readonly number[] {
  const hopes = Array.from({ length: widest + 1 }, () => 0);
  for (const { reach } of drafts) {
    const sorted = reach.toSorted((left, right) => right - left);
    let sum = 1;
    for (let width = 1; width <= widest; width += 1) {
      hopes[width] = (hopes[width] as number) + sum;
      sum += sorted[width - 1] ?? 0;
    }
  }
  return hopes;
}
