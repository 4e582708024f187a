/** Why a command line of a page is not run by `npm run docs:snippets`. A line without a reason is run. */

type Reasons = readonly (readonly [form: RegExp, why: string])[];

/** Commands of ours. */
const NOT_RUN: Reasons = [
  [/…/, "is a part of a line"],
  [/--gpu\b/, "needs a GPU"],
  [/--trainer\b|conformance tinker|--tinker/, "needs a trainer on another machine; test/ starts one of its own"],
  [/redis|--fleet\b|limbeck worker|limbeck fleet|LIMBECK_REDIS/, "needs Redis"],
  [
    /^(?:npx )?limbeck (?:studio|proxy|trainer|serve-env|mcp|serve)\b/,
    "serves until it is stopped; its tests start it",
  ],
  [/--policy chat|--judge\b|--ask\b|analyst=model|writer=model|--chat-url|bench-chat/, "needs a chat model"],
  [/alfworld|GAMES|--game\b|--root\b/, "needs the games of ALFWorld"],
  [/limbeck suite .*--data\b/, "needs a public set; packages/testing/src/suite/sets/sets.test.ts has small ones"],
  [/openenv/, "needs an OpenEnv server; its tests start one"],
  [/--env mcp|python:/, "needs a server or a world of the reader's own; its tests have theirs"],
  [/--experts\b/, "needs a list of the reader's own models"],
  [/models (?:install|remove)|\.gguf/, "needs a model from outside"],
  [
    /limbeck agent run|--env agent|--agent /,
    "needs an agent of the reader's own; test/ten-minutes.system.test.ts and test/proven-skill.nightly.test.ts have one",
  ],
  [
    /--from (?:claude-code|codex|langfuse|\w+)/,
    "reads folders of the reader's own; test/proven-skill.nightly.test.ts has sessions",
  ],
  [
    /skills (?:follow|accept)\b|skills\/proposals/,
    "reads folders of the reader's own; packages/limbeck/src/cli/skills/follow.system.test.ts has sessions",
  ],
  [
    /skills (?:install|uninstall|replay)\b/,
    "changes folders of the reader's own; test/proven-skill.nightly.test.ts does it",
  ],
  [/limbeck (?:-- )?init\b/, "installs packages; test/package.nightly.test.ts does it"],
  [
    /--format preferences/,
    "needs episodes of one task that ended differently; packages/limbeck/src/cli/export has its test",
  ],
  [/import recordings$/, "reads what an agent left; test/record-docs.test.ts types it"],
  [/limbeck reward train/, "needs twenty judged episodes of a model; its test plays them"],
  [/limbeck (?:audit|credit --method gigpo --in) rollouts/, "reads logs of the reader's own; their tests have some"],
  [/limbeck ci\b/, "writes into a repository of the reader's own; its test makes one"],
  [/items_shuffle|--items\b/, "needs the files of WebShop"],
];

/** Other programs. */
const OTHERS: Reasons = [
  [/^npm (?:ci|install|test|start)\b/, "npm itself; test/package.system.test.ts installs as a reader does"],
  [/^(?:pip|uv|python3?|limbeck-torch|machine\.sh)\b/, "Python on another machine"],
  [/^redis-server\b|^LIMBECK_REDIS=/, "needs Redis"],
  [/^(?:export|cd|echo|cat|curl)\b|^[A-Z_]+=/, "the shell; the commands around it are what counts"],
  [/^git (?:init|add|commit)\b/, "git; test/ten-minutes.system.test.ts types it"],
  [/^node agent\.mjs/, "an agent of the reader's own; test/ten-minutes.system.test.ts has one"],
  [/^npm run train$/, "a script of the project that `limbeck init` makes; test/package.nightly.test.ts makes one"],
  [/^claude\b/, "another program, which is told about ours"],
  [/^source <\(limbeck completion/, "the shell reads what ours prints; its test reads it too"],
  [/^docker\b|^kubectl\b/, "needs a cluster"],
];

export function whyNotRun(line: string): string | undefined {
  return NOT_RUN.find(([form]) => form.test(line))?.[1];
}

/** The reason for a program that is not ours; undefined for one that nobody knows. */
export function otherProgram(line: string): string | undefined {
  return OTHERS.find(([form]) => form.test(line))?.[1];
}
