/**
 * `npx tsx test/support/compare-requests.ts open|sealed`: how what is learnt from the requests compares with what is expected.
 * Of the sealed ones it prints totals alone, so that whoever builds does not see them.
 */
import { CHECKS, compareFile, totals } from "./request-cases.ts";

const file = process.argv[2];
if (file !== "open" && file !== "sealed") throw new Error("Name the file of requests: open or sealed.");
const all = await compareFile(file);
if (file === "open") {
  for (const { case: one, skill, wrong } of all) {
    const failed = CHECKS.filter((check) => wrong[check] !== undefined);
    process.stdout.write(`${failed.length === 0 ? "right" : "wrong"} ${one.id} (${one.agent}; ${one.about})\n`);
    if (failed.length > 0)
      process.stdout.write(`  wanted: ${one.expect.kind}\n          ${one.expect.steps.join("; ")}\n`);
    if (failed.length > 0 && skill !== undefined)
      process.stdout.write(`  learnt: ${skill.name}: ${skill.when.goals.join(" | ")}\n          ${skill.text}\n`);
    for (const check of failed) process.stdout.write(`  ${check}: ${wrong[check] ?? ""}\n`);
  }
}
process.stdout.write(`${totals(file, all)}\n`);
