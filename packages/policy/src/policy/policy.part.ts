/** The acting policy, by name: a model folder or GGUF file, "bundled", "chat", or what else an operation takes. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Part } from "limbeck-base/base/operation";

/** Only models need ONNX Runtime. */
export const policyPart: Part = {
  natives: (given, cwd) =>
    /^bundled(?::|$)/.test(given) || /\.gguf$/i.test(given) || existsSync(join(resolve(cwd, given), "config.json"))
      ? ["onnxruntime"]
      : [],
};
