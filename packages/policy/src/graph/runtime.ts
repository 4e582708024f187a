/** ONNX Runtime. An optional package: where its install step fails, npm leaves it out. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type * as Runtime from "onnxruntime-node";
import { loadNativePart, type NativePart } from "limbeck-base/base/native-part";

export function loadOnnxRuntime(): Promise<typeof Runtime> {
  return loadNativePart(() => import("onnxruntime-node"), runtimePart);
}

const BINARIES = "bin/napi-v6";

function runtimePart(): NativePart {
  return {
    name: "ONNX Runtime",
    affects:
      "every model that runs on this machine: the demo, train, arena, sft, sample, score, trainer, worker, and --policy with bundled or a model folder",
    platform: `${process.platform}-${process.arch}`,
    packages: ["onnxruntime-node"],
    file: `${BINARIES}/${process.platform}/${process.arch}/onnxruntime_binding.node`,
    platforms: platformsIn,
    // Its install step fetches what a GPU needs; the part for the processor comes with the package.
    installOptions: "--ignore-scripts",
  };
}

function platformsIn(folder: string): readonly string[] {
  const names = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  try {
    const systems = names(join(folder, BINARIES)).sort();
    return systems.flatMap((system) =>
      names(join(folder, BINARIES, system))
        .sort()
        .map((kind) => `${system}-${kind}`),
    );
  } catch {
    // A folder that cannot be listed has no binaries.
    return [];
  }
}
