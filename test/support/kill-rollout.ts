/** The command line as a process of its own, so that it can be killed: `kill-rollout rollout --env …`. */
import { main } from "../../src/cli/index.ts";
import { runProcess } from "../../src/cli/process-io.ts";

await runProcess(main);
