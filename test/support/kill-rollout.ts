/** The command line as a process of its own, so that it can be killed: `kill-rollout rollout --env …`. */
import { main } from "../../packages/limbeck/src/cli/index.ts";
import { runProcess } from "../../packages/limbeck/src/cli/process-io.ts";

await runProcess(main);
