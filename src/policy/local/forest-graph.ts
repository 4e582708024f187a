/**
 * The decoder over a forest: each tree's prefix once, then its branches. A branch attends to its tree's prefix and to
 * itself: two levels of plain products, never a mask over the whole forest.
 */
import { input, ops, type Tensor } from "../../graph/index.ts";
import type { Projected, Reading } from "./layers.ts";
import { tokensOf, type Layout } from "./layout.ts";
import { windowOf, type ModelConfig } from "./model-config.ts";
import { rotaryTables } from "./rotary.ts";
import { causal, causalLimits, windowLimits } from "./transformer.ts";

/**
 * Inputs: "positions" int64 [tokens, 1], where a position is a depth in the tree; "seen" [trees * key heads, 1, prefix], `VISIBLE` for a token of the prefix and `HIDDEN` for its padding, where there is any.
 */
export function forestReading(config: ModelConfig, layout: Layout, padded: boolean): Reading {
  const tokens = tokensOf(layout);
  const positions = input("positions", "int64", [tokens, 1]);
  const rotary = { positions, tables: rotaryTables(config, layout.prefix + layout.length) };
  const seen = padded ? input("seen", "float32", [layout.trees * config.keyValueHeads, 1, layout.prefix]) : undefined;
  // The same for every layer with a window, so made once.
  const { window } = config;
  const far = window !== undefined && window.size < layout.prefix + layout.length;
  const near = far ? prefixWindow(config, layout, positions, window.size) : undefined;
  const both = near === undefined || seen === undefined ? (near ?? seen) : ops.min(near, seen);
  return {
    rows: tokens,
    width: 1,
    rotary,
    attend: (layer, projected) => {
      const size = windowOf(config, layer);
      return attention(config, layout, projected, { seen: size === undefined ? seen : both, window: size });
    },
  };
}

/** Which tokens of the prefix each query of a branch sees, [trees * key heads, queries, prefix], as `branchAttention` has them. */
function prefixWindow(config: ModelConfig, layout: Layout, positions: Tensor, window: number): Tensor {
  const { trees, prefix, branches, length } = layout;
  const { heads, keyValueHeads } = config;
  const shared = heads / keyValueHeads;
  const own = ops.slice(positions, 0, trees * prefix, tokensOf(layout));
  const depths = ops.reshape(ops.cast(own, "float32"), [trees, 1, branches, 1, length, 1]);
  const queries = ops.expand(depths, [trees, keyValueHeads, branches, shared, length, 1]);
  const flat = ops.reshape(queries, [trees * keyValueHeads, branches * shared * length, 1]);
  return windowLimits(flat, prefix, window);
}

/** What of the prefix a layer sees, and how far back it looks. */
interface Sight {
  readonly seen: Tensor | undefined;
  readonly window: number | undefined;
}

function attention(config: ModelConfig, layout: Layout, projected: Projected, sight: Sight): Tensor {
  const { trees, prefix, branches, length } = layout;
  const { keyValueHeads, headSize } = config;
  const sizes = [trees * prefix, trees * branches * length];
  const cut = (value: Tensor): [Tensor, Tensor] => {
    const [before, own] = ops.split(value, sizes, 0) as [Tensor, Tensor];
    const heads = value.shape[2] as number;
    return [
      ops.reshape(before, [trees, prefix, heads, headSize]),
      ops.reshape(own, [trees, branches, length, keyValueHeads, heads / keyValueHeads, headSize]),
    ];
  };
  const [query, ownQuery] = cut(projected.query);
  const [key, ownKey] = cut(projected.key);
  const [value, ownValue] = cut(projected.value);
  const first = causal(config, trees, prefix, { query, key, value }, sight.window);
  return ops.concat([first, branchAttention(config, layout, { key, value, ownQuery, ownKey, ownValue, ...sight })], 0);
}

interface Parts extends Sight {
  /** [trees, prefix, key heads, headSize] */
  readonly key: Tensor;
  readonly value: Tensor;
  /** [trees, branches, length, key heads, heads that share one, headSize] */
  readonly ownQuery: Tensor;
  readonly ownKey: Tensor;
  readonly ownValue: Tensor;
}

/** Groups are a tree's key heads; the queries of a group are all its branches', so that the prefix is one product. */
function branchAttention(config: ModelConfig, layout: Layout, parts: Parts): Tensor {
  const { trees, prefix, branches, length } = layout;
  const { heads, keyValueHeads, headSize } = config;
  const shared = heads / keyValueHeads;
  const groups = trees * keyValueHeads;
  const rows = branches * shared * length;
  const turned = ops.transpose(parts.ownQuery, [0, 3, 1, 4, 2, 5]);
  const queries = ops.reshape(turned, [groups, rows, headSize]);
  const keys = ops.reshape(ops.transpose(parts.key, [0, 2, 3, 1]), [groups, headSize, prefix]);
  const ownQueries = ops.reshape(turned, [groups * branches, shared * length, headSize]);
  const ownKeys = ops.reshape(ops.transpose(parts.ownKey, [0, 3, 1, 4, 5, 2]), [groups * branches, headSize, length]);
  const values = ops.reshape(ops.transpose(parts.value, [0, 2, 1, 3]), [groups, prefix, headSize]);
  const ownValues = ops.reshape(ops.transpose(parts.ownValue, [0, 3, 1, 4, 2, 5]), [
    groups * branches,
    length,
    headSize,
  ]);
  const mixed = ops.reshape(
    ops.attend(
      { scores: ops.matmul(queries, keys), limits: parts.seen, values },
      {
        scores: ops.matmul(ownQueries, ownKeys),
        limits: causalLimits(shared, length, 0, parts.window),
        values: ownValues,
      },
    ),
    [trees, keyValueHeads, branches, shared, length, headSize],
  );
  return ops.reshape(ops.transpose(mixed, [0, 2, 4, 1, 3, 5]), [trees * branches * length, heads * headSize]);
}
