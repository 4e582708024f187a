/**
 * A scripted coding agent, for the walk-through in docs/learn/proven-skill.md: it stands for the real one that you have, and needs no key.
 * It fixes what the prompt names, runs the test and, where SESSIONS is set, leaves its session there as Claude Code does. Whatever
 * advice stands in its prompt as a command of Bash it follows, good or bad. On its own it thinks of building half of the time.
 *
 *   node coding-agent.mjs "Fix adder so that its test passes."
 */
import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const prompt = process.argv[2] ?? "";
const name = /Fix (\w+) so that/.exec(prompt)?.[1];
if (name === undefined) throw new Error("I only know how to fix things.");
const chance = (what) => createHash("sha256").update(`${what} ${name}`).digest()[0] / 256;

const session = randomUUID();
const file = process.env.SESSIONS === undefined ? undefined : join(process.env.SESSIONS, `${session}.jsonl`);
let last = null;
function say(type, content, more = {}) {
  const uuid = randomUUID();
  const message = {
    role: type,
    content,
    ...(type === "assistant" ? { id: uuid, model: "scripted", usage: { input_tokens: 900, output_tokens: 40 } } : {}),
  };
  const facts = {
    sessionId: session,
    cwd: process.cwd(),
    version: "2.1.197",
    gitBranch: "main",
    userType: "external",
    isSidechain: false,
  };
  const line = { type, uuid, parentUuid: last, timestamp: new Date().toISOString(), ...facts, message, ...more };
  if (file !== undefined) {
    mkdirSync(process.env.SESSIONS, { recursive: true });
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }
  last = uuid;
}
function call(tool, input, run) {
  const id = `toolu_${randomUUID().slice(0, 8)}`;
  say("assistant", [{ type: "tool_use", id, name: tool, input }]);
  let [text, failed] = ["", false];
  try {
    text = run();
  } catch (error) {
    [text, failed] = [`${error.stdout ?? ""}${error.message}`.slice(0, 2_000), true];
  }
  say("user", [{ type: "tool_result", tool_use_id: id, content: text, ...(failed ? { is_error: true } : {}) }]);
  return !failed;
}
const bash = (command) =>
  call("Bash", { command }, () => {
    const [program, ...words] = command.split(/\s+/);
    return execFileSync(program === "node" ? process.execPath : program, words, { encoding: "utf8", stdio: "pipe" });
  });

say("user", prompt.split("\n")[0]);
const source = `src/${name}.mjs`;
call("Read", { file_path: source }, () => readFileSync(source, "utf8"));
// Some faults are too hard for it, whatever it is told.
const hard = chance("hard") < 0.1;
call("Edit", { file_path: source, old_string: "wrong", new_string: hard ? "still wrong" : "right" }, () => {
  writeFileSync(source, readFileSync(source, "utf8").replace('"wrong"', hard ? '"still wrong"' : '"right"'));
  return "edited";
});
const test = `node test/${name}.test.mjs`;
const advised = [...prompt.matchAll(/Bash (?:command=|`)((?:node|git) [^;`\n]*?)(?=[;`]|\.?$|\.?\n)/gm)].map((found) =>
  found[1].trim(),
);
const steps = advised.filter((command) => !command.startsWith("node test/"));
if (steps.length === 0 && chance("builds") < 0.5 && existsSync("tools/build.mjs")) steps.push("node tools/build.mjs");
for (const command of steps) bash(command);
const passed = bash(test);
if (passed && file !== undefined) {
  bash(`git add ${source}`);
  bash("git commit --quiet -m fix");
}
say("assistant", [{ type: "text", text: passed ? "Fixed; the test passes." : "I could not make the test pass." }]);
if (process.env.LIMBECK_OUTCOME !== undefined)
  writeFileSync(process.env.LIMBECK_OUTCOME, JSON.stringify({ costUsd: 0.001 }));
