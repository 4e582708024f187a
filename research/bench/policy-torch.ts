/** PyTorch in a process of its own, for ratios taken in the same run. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ModelConfig } from "../../packages/policy/src/policy/local/model-config.ts";

export interface TorchWork {
  readonly config: ModelConfig;
  readonly rows: number;
  readonly length: number;
  readonly threads: number;
  /** "generate" is transformers' own sampling. */
  readonly kind: "train" | "score" | "generate";
}

export interface Torch {
  /** Seconds that this many steps took. */
  seconds(steps: number): Promise<number>;
  close(): void;
}

/** Whether `import torch` would find something; the module itself is not loaded. */
export function hasTorch(module: "torch" | "transformers" = "torch"): boolean {
  const code = `import importlib.util, sys; sys.exit(importlib.util.find_spec('${module}') is None)`;
  return spawnSync("python3", ["-c", code]).status === 0;
}

export function startTorch(work: TorchWork): Torch {
  const program = work.kind === "generate" ? "policy-generate.py" : "policy-torch.py";
  const child = spawn("python3", [join(import.meta.dirname, program)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout);
  child.stdin.write(`${JSON.stringify(work)}\n`);
  return {
    seconds: async (steps) => {
      const answer = once(lines, "line");
      child.stdin.write(`${JSON.stringify({ steps })}\n`);
      const ended = once(child, "exit").then(() => Promise.reject(new Error("PyTorch ended; see its message above.")));
      const [line] = (await Promise.race([answer, ended])) as [string];
      return (JSON.parse(line) as { seconds: number }).seconds;
    },
    close: () => child.stdin.end(),
  };
}
