/** A hundred files that break something, each with the error that it must end with. */

export interface BrokenModule {
  /** Name of the file, with its ending. */
  readonly file: string;
  readonly kind: string;
  readonly code: string;
  readonly says: RegExp;
  readonly text: string;
}

const GOOD = `import { agent, credit, env, episode, objective, recipe, reward, search, strategy, world } from "./good-parts.ts";\n`;

function broken(file: string, kind: string, code: string, says: RegExp, body: string, good = true): BrokenModule {
  return { file: `${file}.ts`, kind, code, says, text: `${good ? GOOD : ""}${body}\n` };
}

const NEVER = "new Promise(() => {})";
const LOOP = "{ for (;;); }";

/** What the file itself does wrong. */
const files: readonly BrokenModule[] = [
  broken("throws", "environment", "part-failed", /loading: TypeError: no \(throws\.ts:2\)/, `const a = 1;\nthrow new TypeError("no");`, false),
  broken("throws-text", "environment", "part-failed", /threw no/, `throw "no";`, false),
  broken("loops", "environment", "part-timeout", /loading/, `for (;;);`, false),
  broken("waits", "environment", "part-timeout", /loading/, `await ${NEVER};`, false),
  broken("exits", "environment", "part-exits", /process\.exit\(3\)/, `process.exit(3);`, false),
  broken("no-default", "environment", "bad-part", /no default export, only corridor/, `export const corridor = 1;`, false),
  broken("empty", "environment", "bad-part", /no default export\./, ``, false),
  broken("plain-object", "environment", "bad-part", /an object that no define function made/, `export default { create() {} };`, false),
  broken("function", "environment", "bad-part", /a function that no define function made/, `export default () => 1;`, false),
  broken("null", "environment", "bad-part", /null that no define/, `export default null;`, false),
  broken("bad-syntax", "environment", "part-failed", /SyntaxError.*bad-syntax\.ts:2/, `const a = 1;\nexport default = 2;`, false),
  broken("enum", "environment", "part-failed", /enum.*enum\.ts:1/, `enum A { b }\nexport default A;`, false),
  broken("missing-import", "environment", "part-failed", /nowhere/, `import "./nowhere.ts";\nexport default 1;`, false),
  broken("missing-package", "environment", "part-failed", /no-such-package/, `import "no-such-package";\nexport default 1;`, false),
  broken("missing-name", "environment", "part-failed", /defineNothing/, `import { defineNothing } from "limbeck";\nexport default defineNothing();`, false),
  broken("reward-as-world", "environment", "bad-part", /wanted here: environment; found: reward/, `export default reward(() => ({ awards: [] }));`),
  broken("world-as-reward", "reward", "bad-part", /wanted here: reward; found: environment/, `export default world();`),
  broken("no-create", "environment", "bad-part", /"create" is missing, not a function/, `export default world({}, {}, { create: undefined });`),
  broken("no-info", "environment", "bad-part", /"info" is a text|"info" is a string/, `export default world({}, {}, { info: "hello" });`),
  broken("no-options", "environment", "bad-part", /"options" is null/, `export default world({}, {}, { options: null });`),
];

const made = (name: string, code: string, says: RegExp, create: string): BrokenModule =>
  broken(`create-${name}`, "environment", code, says, `export default world({}, {}, { create: ${create} });`);
const environment = (name: string, code: string, says: RegExp, changes: string): BrokenModule =>
  broken(name, "environment", code, says, `export default world(${changes});`);
const inEpisode = (name: string, code: string, says: RegExp, changes: string): BrokenModule =>
  environment(name, code, says, `{}, ${changes}`);
const result = (name: string, says: RegExp, changes: string): BrokenModule =>
  inEpisode(`result-${name}`, "bad-part", says, `(good) => { const { step } = good; return { step: async (a) => ({ ...(await step(a)), ${changes} }) }; }`);

const worlds: readonly BrokenModule[] = [
  made("throws", "part-failed", /failed in create: Error: no \(create-throws\.ts:2\)/, `() => { throw new Error("no"); }`),
  made("rejects", "part-failed", /failed in create/, `async () => { throw new Error("no"); }`),
  made("loops", "part-timeout", /create/, `() => ${LOOP}`),
  made("waits", "part-timeout", /create/, `() => ${NEVER}`),
  made("nothing", "bad-part", /it gave missing, not an environment/, `() => undefined`),
  made("text", "bad-part", /it gave a string, not an environment/, `() => "world"`),
  made("exits", "part-exits", /process\.exit/, `() => process.exit(0)`),
  environment("no-id", "bad-part", /"id" is missing/, `{ id: undefined }`),
  environment("no-summary", "bad-part", /"summary" is missing/, `{ summary: undefined }`),
  environment("no-steps", "bad-part", /"maxSteps" is 0/, `{ maxSteps: 0 }`),
  environment("steps-nan", "bad-part", /"maxSteps" is NaN/, `{ maxSteps: NaN }`),
  environment("no-splits", "bad-part", /"splits" is missing/, `{ splits: undefined }`),
  environment("split-text", "bad-part", /split "train" is a string/, `{ splits: { train: "many" } }`),
  environment("no-tasks", "bad-part", /"tasks" is missing/, `{ tasks: undefined }`),
  environment("no-open", "bad-part", /"open" is missing/, `{ open: undefined }`),
  environment("tasks-throw", "part-failed", /failed in tasks/, `{ tasks: () => { throw new Error("no"); } }`),
  environment("tasks-throw-later", "part-failed", /failed in tasks/, `{ *tasks() { throw new Error("no"); } }`),
  environment("tasks-loop", "part-timeout", /tasks/, `{ tasks: () => ${LOOP} }`),
  environment("tasks-loop-later", "part-timeout", /tasks/, `{ *tasks() ${LOOP} }`),
  environment("tasks-wait", "part-timeout", /tasks/, `{ async *tasks() { await ${NEVER}; } }`),
  environment("tasks-number", "bad-part", /it gave a number, not a list/, `{ tasks: () => 3 }`),
  environment("tasks-endless", "bad-part", /more than the 1 that were asked for/, `{ *tasks(split) { for (let at = 0; ; at += 1) yield { id: String(at), env: "corridor", seed: at, goal: "Go.", split }; } }`),
  environment("task-text", "bad-part", /a task is a string/, `{ tasks: () => ["first"] }`),
  environment("task-no-goal", "bad-part", /"goal" of a task is missing/, `{ tasks: (split) => [{ id: "a", env: "corridor", seed: 1, split }] }`),
  environment("task-no-seed", "bad-part", /"seed" of the task "a" is missing/, `{ tasks: (split) => [{ id: "a", env: "corridor", goal: "Go.", split }] }`),
  environment("task-other-env", "bad-part", /names the env "other"/, `{ tasks: (split) => [{ id: "a", env: "other", seed: 1, goal: "Go.", split }] }`),
  environment("tasks-change", "env-contract", /lists other tasks the second time/, `{ *tasks(split, { offset = 0, count = 6 } = {}) { globalThis.count = (globalThis.count ?? 0) + 1; for (let at = offset; at < Math.min(6, offset + count); at += 1) yield { id: at + "-" + globalThis.count, env: "corridor", seed: at, goal: "Go.", split }; } }`),
  environment("open-throws", "part-failed", /failed in open/, `{ open: () => { throw new Error("no"); } }`),
  environment("open-rejects", "part-failed", /failed in open/, `{ open: async () => { throw new Error("no"); } }`),
  environment("open-loops", "part-timeout", /open/, `{ open: () => ${LOOP} }`),
  environment("open-waits", "part-timeout", /open/, `{ open: () => ${NEVER} }`),
  environment("open-nothing", "bad-part", /it gave missing, not an episode/, `{ open: async () => undefined }`),
  environment("open-half", "bad-part", /"admissible" is missing/, `{ open: async (task) => ({ task, observation: "x" }) }`),
  inEpisode("no-observation", "bad-part", /observation is missing/, `{ observation: undefined }`),
  inEpisode("observation-number", "bad-part", /observation is a number/, `{ observation: 7 }`),
  inEpisode("observation-huge", "bad-part", /observation has 2000000 characters/, `{ observation: "x".repeat(2_000_000) }`),
  inEpisode("state-key-missing", "bad-part", /"stateKey" is missing/, `{ stateKey: undefined }`),
  inEpisode("task-missing", "bad-part", /"task" is missing/, `{ task: undefined }`),
  inEpisode("reward-missing", "bad-part", /the reward is missing/, `{ reward: undefined }`),
  inEpisode("ending-strange", "bad-part", /the ending is "won"/, `{ ending: "won" }`),
  inEpisode("step-throws", "part-failed", /failed in step: Error: no \(step-throws\.ts:2\)/, `{ step: () => { throw new Error("no"); } }`),
  inEpisode("step-rejects", "part-failed", /failed in step/, `{ step: async () => { throw new Error("no"); } }`),
  inEpisode("step-loops", "part-timeout", /step/, `{ step: () => ${LOOP} }`),
  inEpisode("step-waits", "part-timeout", /step/, `{ step: () => ${NEVER} }`),
  inEpisode("step-exits", "part-exits", /process\.exit/, `{ step: () => process.exit(1) }`),
  inEpisode("step-nothing", "bad-part", /the result is missing/, `{ step: async () => undefined }`),
  result("observation-null", /observation is null/, `observation: null`),
  result("observation-list", /observation is a list/, `observation: ["a"]`),
  result("observation-huge", /observation has 1000001 characters/, `observation: "x".repeat(1_000_001)`),
  result("reward-nan", /the reward is scored\(NaN\)/, `reward: { kind: "scored", value: NaN }`),
  result("reward-infinite", /the reward is scored\(Infinity\)/, `reward: { kind: "scored", value: Infinity }`),
  result("reward-number", /the reward is a number/, `reward: 1`),
  result("reward-missing", /the reward is missing/, `reward: undefined`),
  result("valid-missing", /"valid" is missing/, `valid: undefined`),
  result("success-text", /success is a string/, `success: "yes"`),
  result("ending-true", /the ending is true/, `ending: true`),
  inEpisode("admissible-throws", "part-failed", /failed in admissible/, `{ admissible: () => { throw new Error("no"); } }`),
  inEpisode("admissible-loops", "part-timeout", /admissible/, `{ admissible: () => ${LOOP} }`),
  inEpisode("admissible-text", "bad-part", /it is a string, not a list/, `{ admissible: () => "on" }`),
  inEpisode("admissible-numbers", "bad-part", /an action is a number/, `{ admissible: () => [1] }`),
  inEpisode("fork-throws", "part-failed", /failed in fork/, `{ fork: () => { throw new Error("no"); } }`),
  inEpisode("fork-loops", "part-timeout", /fork/, `{ fork: () => ${LOOP} }`),
  inEpisode("fork-waits", "part-timeout", /fork/, `{ fork: () => ${NEVER} }`),
  inEpisode("fork-itself", "bad-part", /the episode itself, not a copy/, `(good) => ({ fork: async () => good })`),
  inEpisode("fork-nothing", "bad-part", /it gave missing, not an episode/, `{ fork: async () => undefined }`),
  inEpisode("fork-shares", "env-contract", /fork|differs/, `(good, place) => ({ fork: async () => episode(good.task, place) })`),
  inEpisode("close-throws", "part-failed", /failed in close/, `{ close: async () => { throw new Error("no"); } }`),
  inEpisode("close-nothing", "env-contract", /episode-closed/, `{ close: async () => {} }`),
  inEpisode("not-deterministic", "env-contract", /differs/, `{ get observation() { return String(Math.random()); } }`),
  inEpisode("refuses-listed", "env-contract", /was refused/, `{ admissible: () => ["on", "fly"] }`),
  inEpisode("endless", "bad-part", /goes on after 8 steps/, `(good) => { const { step } = good; return { ending: undefined, success: null, step: async () => ({ observation: good.observation, reward: { kind: "scored", value: 0 }, valid: true, ending: undefined, success: null }) }; }`),
  environment("demonstrator-number", "bad-part", /the action is a number/, `{}, {}, { demonstrators: { expert: { id: "expert", summary: "E.", start: () => ({ next: () => 1 }) } } }`),
  environment("demonstrator-throws", "part-failed", /failed in start/, `{}, {}, { demonstrators: { expert: { id: "expert", summary: "E.", start: () => { throw new Error("no"); } } } }`),
];

const methods: readonly BrokenModule[] = [
  broken("score-throws", "reward", "part-failed", /failed in score: Error: no \(score-throws\.ts:2\)/, `export default reward(() => { throw new Error("no"); });`),
  broken("score-loops", "reward", "part-timeout", /score/, `export default reward(() => ${LOOP});`),
  broken("score-nan", "reward", "bad-part", /is NaN, which is not a finite number/, `export default reward((batch) => ({ awards: batch.map(() => [{ score: { kind: "scored", value: NaN } }]) }));`),
  broken("score-number", "reward", "bad-part", /is a number, neither scored/, `export default reward((batch) => ({ awards: batch.map(() => [{ score: 1 }]) }));`),
  broken("score-short", "reward", "bad-part", /1 lists for 2 trajectories/, `export default reward(() => ({ awards: [[]] }));`),
  broken("score-nothing", "reward", "bad-part", /it gave missing/, `export default reward(() => undefined);`),
  broken("compute-throws", "credit method", "part-failed", /failed in compute/, `export default credit(() => { throw new Error("no"); });`),
  broken("compute-loops", "credit method", "part-timeout", /compute/, `export default credit(() => ${LOOP});`),
  broken("compute-short", "credit method", "bad-part", /1 values for \d+ rows/, `export default credit(() => ({ terms: { a: { weight: 1, perRow: new Float64Array(1) } } }));`),
  broken("compute-nan", "credit method", "bad-part", /is NaN at 0/, `export default credit(({ rows }) => ({ terms: { a: { weight: 1, perRow: new Float64Array(rows.length).fill(NaN) } } }));`),
  broken("compute-nothing", "credit method", "bad-part", /no "terms"/, `export default credit(() => undefined);`),
  broken("run-throws", "strategy", "part-failed", /failed in run/, `export default strategy(async () => { throw new Error("no"); });`),
  broken("run-loops", "strategy", "part-timeout", /run/, `export default strategy(() => ${LOOP});`),
  broken("run-waits", "strategy", "part-timeout", /run/, `export default strategy(() => ${NEVER});`),
  broken("search-throws", "search", "part-failed", /failed in run/, `export default search(async () => { throw new Error("no"); });`),
  broken("search-waits", "search", "part-timeout", /run/, `export default search(() => ${NEVER});`),
  broken("search-text", "search", "bad-part", /it chose a string, not a node/, `export default search(async () => "here");`),
  broken("objective-throws", "objective", "part-failed", /failed in create/, `export default objective(() => { throw new Error("no"); });`),
  broken("objective-nan", "objective", "bad-part", /the loss is NaN/, `export default objective(() => ({ needs: ["logprob"], compute: () => ({ loss: NaN, weights: {} }) }));`),
  broken("agent-nothing", "agent", "bad-part", /without a function "start"/, `export default agent(() => ({}));`),
  broken("agent-throws", "agent", "part-failed", /failed in next/, `export default agent(() => ({ id: "a", summary: "A.", start: () => ({ next: () => { throw new Error("no"); } }) }));`),
  broken("update-throws", "recipe", "part-failed", /failed in update/, `export default recipe(async () => { throw new Error("no"); });`),
  { ...broken("no-update", "recipe", "bad-part", /"update" is missing/, `export default recipe(undefined);`) },
];

export const brokenModules: readonly BrokenModule[] = [...files, ...worlds, ...methods];
