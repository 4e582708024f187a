/** A small training on one thread, in a process of its own: it prints the seconds of all updates but the first. */
import { train } from "../../packages/training/src/training/train.ts";

const [dir = "", updates = "6"] = process.argv.slice(2);
let [wall, processor] = [0, process.cpuUsage()];
await train({
  recipe: "grpo",
  env: "household",
  envOptions: { dial: "tiny" },
  steps: Number(updates),
  seed: 3,
  dir,
  threads: 1,
  settings: { tasks: 2, group: 4, maxSteps: 10 },
  validation: { every: 0 },
  report: { tasks: 1 },
  // Where the first update ends the engine is warm.
  onEvent: (event) => {
    if (event.kind !== "update") return;
    if (event.update === 1) [wall, processor] = [performance.now(), process.cpuUsage()];
    if (event.update < Number(updates)) return;
    const used = process.cpuUsage(processor);
    const figures = {
      wallSeconds: (performance.now() - wall) / 1000,
      processorSeconds: (used.user + used.system) / 1e6,
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  },
});
