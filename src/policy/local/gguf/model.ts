/** A GGUF file in the place of a model folder. */
import { mapLimit } from "../../../base/concurrency.ts";
import { parseConfig } from "../config-file.ts";
import { halvesRow, splitHalves } from "../llama2c.ts";
import { formOf, parameterShapes } from "../model-config.ts";
import { checkTensors, placesIn, READ_AT_ONCE, rounded, type ModelFolder } from "../model-folder.ts";
import { reorderRows } from "../quantised/matrix.ts";
import { checkFinite } from "../weights.ts";
import { architectureOf, configOf } from "./config.ts";
import { plainName } from "./names.ts";
import { openGguf } from "./parts.ts";
import { repacked } from "./repack.ts";
import { FACTOR_TENSORS, readFactors } from "./rope.ts";

/** Opens and checks everything, and reads no weight yet. */
export async function openGgufModel(path: string): Promise<ModelFolder> {
  const file = await openGguf(path);
  try {
    const configJson = configOf(file, await readFactors(file));
    const architecture = architectureOf(file);
    const config = parseConfig(configJson, path);
    const shapes = parameterShapes(config);
    const weighty = [...file.tensors.keys()].filter((name) => !(FACTOR_TENSORS as readonly string[]).includes(name));
    const names = new Map(weighty.map((name) => [plainName(name, architecture), name]));
    checkTensors(path, config, shapes, (name) => file.tensors.get(names.get(name) ?? ""), names.keys(), "its metadata");
    // Files of this architecture keep the two numbers that a rotary position turns side by side.
    const sideBySide = architecture === "llama";
    // What norms multiply by, where folders hold that less this.
    const { normOffset } = formOf(config);
    return {
      path,
      config,
      configJson,
      generationJson: {},
      metadata: {},
      readWeights: async (weights) => {
        await mapLimit(placesIn(weights, shapes), READ_AT_ONCE, async ([name, view]) => {
          await file.readInto(names.get(name) as string, view);
          if (normOffset !== 0 && name.endsWith("norm.weight"))
            view.forEach((value, at) => (view[at] = value - normOffset));
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
