/** A GGUF file in the place of a model folder. */
import { mapLimit } from "../../../base/concurrency.ts";
import { parseConfig } from "../config-file.ts";
import { halvesRow, splitHalves } from "../llama2c.ts";
import { parameterShapes } from "../model-config.ts";
import { checkTensors, placesIn, READ_AT_ONCE, rounded, type ModelFolder } from "../model-folder.ts";
import { reorderRows } from "../quantised/matrix.ts";
import { checkFinite } from "../weights.ts";
import { configOf } from "./config.ts";
import { openGguf } from "./gguf-file.ts";
import { plainName } from "./names.ts";
import { repacked } from "./repack.ts";

/** Opens and checks everything, and reads no weight yet. */
export async function openGgufModel(path: string): Promise<ModelFolder> {
  const file = await openGguf(path);
  try {
    const configJson = configOf(file);
    const config = parseConfig(configJson, path);
    const shapes = parameterShapes(config);
    const names = new Map([...file.tensors.keys()].map((name) => [plainName(name), name]));
    checkTensors(path, config, shapes, (name) => file.tensors.get(names.get(name) ?? ""), names.keys(), "its metadata");
    // Files of this architecture keep the two numbers that a rotary position turns side by side.
    const sideBySide = file.metadata.get("general.architecture") === "llama";
    return {
      path,
      config,
      configJson,
      generationJson: {},
      metadata: {},
      readWeights: async (weights) => {
        await mapLimit(placesIn(weights, shapes), READ_AT_ONCE, async ([name, view]) => {
          await file.readInto(names.get(name) as string, view);
          if (sideBySide && /\.[qk]_proj\.weight$/.test(name)) splitHalves(view, config);
          if (sideBySide && /\.[qk]_proj\.bias$/.test(name)) splitHalves(view, { ...config, hiddenSize: 1 });
        });
        checkFinite(weights, path);
      },
      readMatrix: async (name, bits) => {
        const own = names.get(name) as string;
        const shape = shapes.get(name) as readonly number[];
        const same = await repacked(file, own, shape, bits);
        const matrix = same ?? (await rounded(path, name, shape, bits, (view) => file.readInto(own, view)));
        if (sideBySide && /\.[qk]_proj\.weight$/.test(name)) reorderRows(matrix, (row) => halvesRow(row, config));
        return { matrix, exact: same !== undefined };
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
