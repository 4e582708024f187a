/** The frozen matrices of a model: in few bits, packed once for all policies that use them. */
import { EngineError } from "../../../base/errors.ts";
import { elementCount } from "../../../graph/tensor.ts";
import { loraShapes } from "../lora.ts";
import { EMBEDDINGS, type LoraShape } from "../model-config.ts";
import { dequantiseRows, type Bits, type QuantisedMatrix } from "./matrix.ts";
import type { Frozen, Pieces } from "./frozen-parts.ts";
import { closePieces, compilePieces } from "./pieces.ts";

/** Takes the matrices over: those that are packed and that nothing learns on are let go. */
export function createFrozen(matrices: Map<string, QuantisedMatrix>, bits: Bits): Frozen {
  let lora: LoraShape | undefined;
  let made: Promise<Pieces> | undefined;
  let users = 0;
  return {
    bits,
    hold: (config, options) => {
      if (users > 0 && config.lora !== undefined && JSON.stringify(config.lora) !== JSON.stringify(lora)) {
        throw new EngineError(
          "needs-unmet",
          "The quantised weights are in use with another adapter; open the model a second time for this one.",
        );
      }
      if (users === 0) lora = config.lora;
      users += 1;
      const known = lora;
      const shapes = known === undefined || config.lora !== undefined ? [] : [...loraShapes(config, known)];
      let held = true;
      return {
        zeros: Object.fromEntries(shapes.map(([name, shape]) => [name, new Float32Array(elementCount(shape))])),
        pieces: () => {
          const full = known === undefined ? config : { ...config, lora: known };
          made ??= compilePieces(full, matrices, options, (name) => {
            if (known === undefined && name !== EMBEDDINGS) matrices.delete(name);
          });
          return made;
        },
        letGo: async () => {
          if (!held) return;
          held = false;
          users -= 1;
          if (users > 0 || made === undefined) return;
          const last = made;
          made = undefined;
          await closePieces(await last);
        },
      };
    },
    embed: (ids) => {
      const table = need(matrices, EMBEDDINGS);
      const width = table.shape[1];
      const rows = new Float32Array(ids.length * width);
      for (let at = 0; at < ids.length; at += 1) {
        dequantiseRows(table, Number(ids[at]), rows.subarray(at * width, (at + 1) * width));
      }
      return rows;
    },
    matrix: (name) => need(matrices, name),
  };
}

function need(matrices: ReadonlyMap<string, QuantisedMatrix>, name: string): QuantisedMatrix {
  const found = matrices.get(name);
  if (found !== undefined) return found;
  throw new EngineError("internal", `internal: the frozen matrix "${name}" was let go.`);
}
