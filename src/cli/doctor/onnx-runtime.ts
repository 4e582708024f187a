/** Whether ONNX Runtime's native part loads on this platform and computes. */
import { formatDuration } from "../look/units.ts";
import type { Check } from "./check.ts";

export const onnxRuntime: Check = {
  name: "ONNX",
  required: true,
  run: async ({ io }) => {
    const started = io.now();
    const { loadOnnxRuntime } = await import("../../graph/runtime.ts");
    const { compile, input, ops } = await import("../../graph/index.ts");
    const { env } = await loadOnnxRuntime();
    const given = input("x", "float32", [1]);
    const program = await compile({ twice: ops.add(given, given) }, { threads: 1 });
    const results = await program.run({ x: Float32Array.of(21) });
    await program.close();
    const value = `Runtime ${env.versions.node}, loaded and computed in ${formatDuration(io.now() - started)}`;
    if (results["twice"]?.[0] === 42) return { state: "ok", value };
    return { state: "broken", value: "computed 21 + 21 wrongly", hint: "Install again: npm ci." };
  },
};
