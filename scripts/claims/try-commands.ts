/** For one lease: what the commands of claims print at their smallest. */
import { appendFile } from "node:fs/promises";
import { printedBy } from "./run-claim.ts";

const SCORER =
  "limbeck rollout --env ledger --env-set level=small --policy bundled --group 8 --rewards examples/rewards/bookings.yaml --run played && limbeck reward train --run played --model ledger --labels booking --out scorer --epochs 1";
const ROWS: Readonly<Record<string, readonly [string, string?]>> = {
  mapo: ["limbeck train --recipe grpo --env talk --credit mapo --rewards examples/rewards/mood.yaml"],
  doctor: ["limbeck train --recipe grpo --env talk --rewards examples/rewards/doctor.yaml"],
  gennav: [
    "limbeck train --recipe grpo --env draft --credit pre-grpo --rewards examples/rewards/quality.yaml --set credit.maxTurns=10",
  ],
  hyper: [
    "limbeck train --recipe opd --env research --reward trace --set taught=failed --set credit.rewardWeight=1",
    "--set group=8 --set answerTokens=40",
  ],
  struct: ["limbeck train --recipe grpo --env emit --reward structure", "--set answerTokens=40"],
  longvideo: ["limbeck train --recipe grpo --env archive --rewards examples/rewards/visits.yaml"],
  grape: ["limbeck train --recipe online-dpo --env talk --rewards examples/rewards/safety.yaml", "--set tasks=2"],
  genagent: ["limbeck train --recipe grpo --env draft --rewards examples/rewards/improvement.yaml", "--set maxSteps=6"],
  jarvis: [
    "limbeck train --recipe grpo --env tools --rewards examples/rewards/calls.yaml",
    "--set group=2 --set maxSteps=6 --set answerTokens=64",
  ],
  procvlm: ["limbeck train --recipe grpo --rewards examples/rewards/procedure.yaml", "--set maxSteps=12 --set tasks=2"],
  motion: [
    "limbeck train --recipe grpo --env research/new-worlds/tracks.ts --rewards examples/rewards/motion.yaml",
    "--set answerTokens=64",
  ],
  vla: ["limbeck train --recipe grpo --credit gae --set value-head.warmUp=2"],
  meds3: ["limbeck train --recipe rejection-sampling --collect mcts --env ledger"],
  fin: [SCORER, "--count 8"],
  scope: [`${SCORER} && limbeck train --recipe scope-b --env ledger --scorer scorer`, "--count 8"],
};
const [out = "tried.jsonl", ...names] = process.argv.slice(2);
for (const [row, [command, small]] of Object.entries(ROWS)) {
  if (names.length > 0 && !names.includes(row)) continue;
  const begun = process.cpuUsage();
  const printed = await printedBy({ command, ...(small === undefined ? {} : { small }) }).catch(String);
  const { user, system } = process.cpuUsage(begun);
  await appendFile(out, `${JSON.stringify({ row, cpu: (user + system) / 1e6, printed })}\n`);
}
