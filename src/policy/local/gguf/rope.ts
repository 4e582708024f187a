/** Stretched rotary positions of a GGUF file, under the names of `config.json`. Some stand in its metadata, some in tensors. */
import { EngineError } from "../../../base/errors.ts";
import type { JsonObject } from "../config-file.ts";
import type { GgufFile } from "./gguf-file.ts";

/** Tensors that hold a divisor for every rate; they are settings, not weights. */
export const FACTOR_TENSORS = ["rope_freqs.weight", "rope_factors_short.weight", "rope_factors_long.weight"] as const;

export type Factors = Readonly<Partial<Record<(typeof FACTOR_TENSORS)[number], Float32Array>>>;

/** More than a head has pairs; a broken size must not take memory without end. */
const MOST_FACTORS = 65_536;

export async function readFactors(file: GgufFile): Promise<Factors> {
  const found: Partial<Record<(typeof FACTOR_TENSORS)[number], Float32Array>> = {};
  for (const name of FACTOR_TENSORS) {
    const count = file.tensors.get(name)?.shape.reduce((product, side) => product * side, 1);
    if (count === undefined) continue;
    if (count > MOST_FACTORS) {
      throw new EngineError(
        "bad-gguf",
        `${file.path}: ${name} has ${count} numbers; at most ${MOST_FACTORS} are read.`,
      );
    }
    found[name] = new Float32Array(count);
    await file.readInto(name, found[name]);
  }
  return found;
}

interface RopeParts {
  readonly path: string;
  /** A value of the architecture's metadata. */
  readonly of: (key: string) => unknown;
  readonly factors: Factors;
  readonly headSize: number;
  readonly theta: number;
}

export function scalingJson(parts: RopeParts): JsonObject {
  const { of, factors } = parts;
  const rates = factors["rope_freqs.weight"];
  if (rates !== undefined) return { rope_scaling: llama3(parts, rates) };
  const [short, long] = [factors["rope_factors_short.weight"], factors["rope_factors_long.weight"]];
  if (short !== undefined && long !== undefined) {
    const attention = of("rope.scaling.attn_factor");
    return {
      original_max_position_embeddings: of("rope.scaling.original_context_length"),
      rope_scaling: {
        type: "longrope",
        short_factor: [...short],
        long_factor: [...long],
        ...(attention === undefined ? {} : { attention_factor: attention }),
      },
    };
  }
  const named = of("rope.scaling.type") ?? "none";
  if (named === "none") return {};
  return { rope_scaling: { rope_type: named, factor: of("rope.scaling.factor") } };
}

/** Turns within the original context below which a rate is divided, and above which it stays; all known models have these. */
const [LOW, HIGH] = [1, 4];
const ORIGINAL_CONTEXT = 8_192;

/**
 * Files hold the divisors that Llama 3.1's rule gives, not its settings. The largest divisor is its factor; whether the rule
 * with the usual bounds gives the others is checked.
 */
function llama3({ path, of, headSize, theta }: RopeParts, divisors: Float32Array): JsonObject {
  const factor = divisors.reduce((most, divisor) => Math.max(most, divisor), 1);
  const told = of("rope.scaling.original_context_length");
  const original = typeof told === "number" ? told : ORIGINAL_CONTEXT;
  const fits =
    divisors.length === headSize / 2 &&
    divisors.every((divisor, at) => {
      const wave = 2 * Math.PI * theta ** ((2 * at) / headSize);
      const between = (original / wave - LOW) / (HIGH - LOW);
      const share = Math.min(1, Math.max(0, between));
      return Math.abs(divisor * ((1 - share) / factor + share) - 1) < 1e-3;
    });
  if (!fits) {
    throw new EngineError(
      "bad-model-config",
      `${path} stretches its rotary positions by a tensor of factors (rope_freqs.weight) that is not Llama 3.1's with a first context of ${original}. Take the model's Hugging Face folder.`,
    );
  }
  return {
    rope_type: "llama3",
    factor,
    low_freq_factor: LOW,
    high_freq_factor: HIGH,
    original_max_position_embeddings: original,
  };
}
