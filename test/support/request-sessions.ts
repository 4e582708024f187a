/** Scripted coding sessions, written as the files of three agents' programs: Claude Code, Codex and OpenCode. */
import { createHash } from "node:crypto";

export type Agent = "claude-code" | "codex" | "opencode";

/** How a session ended: + by the way, ~ by the other way, - failed after all steps, x gave up after the first. */
type End = "+" | "~" | "-" | "x";

export interface RequestCase {
  readonly id: string;
  readonly agent: Agent;
  /** What the wording tries out. */
  readonly about: string;
  /** The wording, with places for the values. */
  readonly says: string;
  /** Moves such as "read {1}"; `{1~}` fills in the value without its line, "?" a file that only this session has. */
  readonly way: readonly string[];
  readonly other?: readonly string[];
  readonly sessions: readonly (readonly [end: End, ...values: string[]])[];
  readonly expect: Expected;
}

interface Expected {
  readonly kind: string;
  /** What stands in the places, for each session; "[redacted]" for any mark of the redactor. */
  readonly slots: readonly (readonly string[])[];
  /** A tool and what its arguments hold, in this order. */
  readonly steps: readonly string[];
  readonly succeeded: number;
  readonly failed: number;
  /** Places in the list of sessions. */
  readonly cites: readonly number[];
  /** Other goals that are of the kind, as a user types them. */
  readonly fits?: readonly string[];
}

export interface Session {
  readonly id: string;
  readonly case: string;
  readonly agent: Agent;
  readonly succeeded: boolean;
  /** Where the file lies in a home folder, and what it holds. */
  readonly file: string;
  readonly text: string;
  /** What nobody but this session has. */
  readonly own: readonly string[];
}

interface Call {
  readonly name: string;
  readonly input: Record<string, unknown> | string;
  readonly output: string;
  readonly failed: boolean;
}

interface Machine {
  readonly cwd: string;
  readonly word: string;
  readonly file: string;
  readonly hash: string;
  readonly branch: string;
}

const USERS = ["/home/ann", "/Users/bo", "/srv/build", "/home/chidi/code", "/var/tmp/dana"];
const WORDS = "korvat melund tiskar orvane pelgot sivarn dulmet yorkin bastel fenwor galdri humska jelpan lorvik".split(
  " ",
);
const TOOLS: Readonly<Record<Agent, Readonly<Record<string, string>>>> = {
  "claude-code": { read: "Read", edit: "Edit", write: "Write", grep: "Grep", run: "Bash", fetch: "WebFetch" },
  codex: {
    read: "exec_command",
    edit: "apply_patch",
    write: "apply_patch",
    grep: "exec_command",
    run: "exec_command",
    fetch: "exec_command",
  },
  opencode: { read: "read", edit: "edit", write: "write", grep: "grep", run: "bash", fetch: "webfetch" },
};

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function toolNames(agent: Agent): string[] {
  return [...new Set(Object.values(TOOLS[agent]))];
}

/** `@key1@` stands for a key that must not stand in a file of ours. */
export function fill(text: string, given: readonly string[]): string {
  const values = given.map((value) => value.replaceAll(/@key\d+@/g, (key) => `ghp_${sha256(key).slice(0, 36)}`));
  return text
    .replaceAll(/\{(\d+)\}/g, (_, place: string) => values[Number(place) - 1] ?? "")
    .replaceAll(/\{(\d+)~\}/g, (_, place: string) => (values[Number(place) - 1] ?? "").replace(/(?::\d+)+$/, ""));
}

export function renderSessions({ id, agent, says, way, other = [], sessions }: RequestCase): Session[] {
  return sessions.map(([end, ...values], at) => {
    const hex = sha256(`${id} ${at}`);
    const number = Number.parseInt(hex.slice(0, 6), 16);
    const word = `${WORDS[number % WORDS.length] ?? ""}${at}`;
    const cwd = `${USERS[number % USERS.length] ?? ""}/${word}-${hex.slice(6, 9)}`;
    const file = `lib/${word}/${word}-main.ts`;
    const machine = { cwd, word, file, hash: hex.slice(9, 17), branch: `wip/${word}` };
    const moves = (end === "~" ? other : end === "x" ? way.slice(0, 1) : way).map((move) => fill(move, values));
    const wander = at % 3 === 1 ? ["run git status --short"] : [];
    const calls = [...wander, ...moves].map((move, index, all) =>
      callOf(agent, move.replaceAll("?", file), machine, (end === "-" || end === "x") && index === all.length - 1),
    );
    const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    const own = agent === "opencode" ? `ses_${hex.slice(0, 20)}` : uuid;
    const said = { id: own, goal: fill(says, values), calls, machine };
    return {
      id: own,
      case: id,
      agent,
      succeeded: end === "+" || end === "~",
      ...FILES[agent](said),
      own: [cwd, word, machine.hash, own],
    };
  });
}

/** One move as the agent's own tool does it. */
function callOf(agent: Agent, move: string, machine: Machine, failed: boolean): Call {
  const [verb = "", ...rest] = move.split(" ");
  const what = rest.join(" ");
  const { cwd, word, hash } = machine;
  const path = /^(?:\/|[A-Z]:\\)/.test(what) ? what : `${cwd}/${what}`;
  const [before, after] = [`const ${word} = x + 1;`, `const ${word} = x - 1; // ${hash}`];
  const name = TOOLS[agent][verb] ?? verb;
  const output = outputOf(verb, path, machine, failed);
  const made = (input: Call["input"]): Call => ({ name, input, output, failed });
  if (agent === "codex") {
    if (verb === "edit")
      return made(`*** Begin Patch\n*** Update File: ${what}\n@@\n-${before}\n+${after}\n*** End Patch`);
    if (verb === "write") return made(`*** Begin Patch\n*** Add File: ${what}\n+${after}\n*** End Patch`);
    const shell = { read: `cat ${what}`, grep: `rg -n ${what}`, fetch: `curl -sL ${what}` }[verb] ?? what;
    return made({ cmd: shell, workdir: cwd });
  }
  const snake = agent === "claude-code";
  const field = snake ? "file_path" : "filePath";
  if (verb === "read") return made({ [field]: path });
  if (verb === "edit")
    return made({
      [field]: path,
      [snake ? "old_string" : "oldString"]: before,
      [snake ? "new_string" : "newString"]: after,
    });
  if (verb === "write") return made({ [field]: path, content: `${after}\n` });
  if (verb === "grep") return made({ pattern: what, path: cwd });
  if (verb === "fetch") return made({ url: what, ...(snake ? { prompt: `About ${word}` } : { format: "markdown" }) });
  return made({ command: what, description: `Look after ${word}` });
}

function outputOf(verb: string, path: string, { cwd, word, hash, file }: Machine, failed: boolean): string {
  const stamp = `2026-11-1${word.length}T0${word.length}:12:07Z`;
  if (failed) return `FAIL ${path} at ${stamp}\n1 failed, 3 passed\n    at ${cwd}/node_modules/x.js:14:3 (${hash})`;
  if (verb === "read") return `     1\tconst ${word} = x + 1;\n     2\t// ${hash}`;
  if (verb === "grep") return `${cwd}/${file}:12: ${word}`;
  if (verb === "edit" || verb === "write") return `The file ${path} has been updated.`;
  return `${cwd} ${stamp}\n4 passed (${hash})`;
}

interface Said {
  readonly id: string;
  readonly goal: string;
  readonly calls: readonly Call[];
  readonly machine: Machine;
}

const START = Date.UTC(2026, 10, 17, 0, 11);
const at = (line: number): string => new Date(START + line * 1000).toISOString();
const asLines = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

const FILES: Readonly<Record<Agent, (said: Said) => Pick<Session, "file" | "text">>> = {
  "claude-code": claudeFile,
  codex: codexFile,
  opencode: opencodeFile,
};

function claudeFile({ id, goal, calls, machine }: Said): Pick<Session, "file" | "text"> {
  let line = 0;
  const record = (type: "user" | "assistant", message: object): object => {
    line += 1;
    return {
      parentUuid: line === 1 ? null : `${id}-${line - 1}`,
      isSidechain: false,
      type,
      message: { role: type, ...message },
      uuid: `${id}-${line}`,
      timestamp: at(line),
      cwd: machine.cwd,
      sessionId: id,
      version: "2.1.197",
      gitBranch: machine.branch,
    };
  };
  const model = "claude-opus-4-8";
  const records = [record("user", { content: goal })];
  for (const [index, { name, input, output, failed }] of calls.entries()) {
    const call = `toolu_${machine.hash}${index}`;
    const content = [{ type: "tool_use", id: call, name, input }];
    records.push(record("assistant", { id: `msg_${machine.hash}${index}`, model, content }));
    const result = { type: "tool_result", tool_use_id: call, content: output, is_error: failed };
    records.push(record("user", { content: [result] }));
  }
  const last = [{ type: "text", text: `I am done with ${machine.word}.` }];
  records.push(record("assistant", { id: `msg_${machine.hash}end`, model, content: last }));
  return { file: `.claude/projects/-${machine.word}/${id}.jsonl`, text: asLines(records) };
}

function codexFile({ id, goal, calls, machine }: Said): Pick<Session, "file" | "text"> {
  const item = (payload: object): object => ({ timestamp: at(records.length), type: "response_item", payload });
  const records: object[] = [];
  const meta = { id, timestamp: at(0), cwd: machine.cwd, cli_version: "0.166.0", git: { branch: machine.branch } };
  records.push({ timestamp: at(0), type: "session_meta", payload: meta });
  const say = (role: string, type: string, text: string): void => {
    records.push(item({ type: "message", role, content: [{ type, text }] }));
  };
  const usage = { input_tokens: 1200, cached_input_tokens: 800, output_tokens: 42 };
  say("user", "input_text", `<environment_context>\n  <cwd>${machine.cwd}</cwd>\n</environment_context>`);
  say("user", "input_text", goal);
  for (const [index, { name, input, output, failed }] of calls.entries()) {
    const call = `call_${machine.hash}${index}`;
    const custom = typeof input === "string";
    const given = custom ? { input } : { arguments: JSON.stringify(input) };
    records.push(item({ type: custom ? "custom_tool_call" : "function_call", name, call_id: call, ...given }));
    const text = `Wall time: 0.2 seconds\nProcess exited with code ${failed ? 1 : 0}\nOutput:\n${output}`;
    const type = custom ? "custom_tool_call_output" : "function_call_output";
    records.push(item({ type, call_id: call, output: text }));
    const info = { last_token_usage: usage };
    records.push({ timestamp: at(records.length), type: "event_msg", payload: { type: "token_count", info } });
  }
  say("assistant", "output_text", `I am done with ${machine.word}.`);
  return { file: `.codex/sessions/2026/11/17/rollout-2026-11-17T00-11-00-${id}.jsonl`, text: asLines(records) };
}

function opencodeFile({ id, goal, calls, machine }: Said): Pick<Session, "file" | "text"> {
  const time = { created: START, updated: START + 60_000 };
  const about = {
    id,
    projectID: machine.hash,
    directory: machine.cwd,
    title: `On ${machine.word}`,
    version: "1.18.18",
  };
  const message = (role: string, number: number, parts: readonly object[]): object => ({
    info: {
      role,
      id: `msg_${machine.hash}${number}`,
      sessionID: id,
      time: { created: START + number },
      modelID: "stub",
    },
    parts,
  });
  const replies = calls.map(({ name, input, output, failed }, index) => {
    const metadata = name === "bash" ? { metadata: { exit: failed ? 1 : 0 } } : {};
    const state = { status: "completed", input, output, ...metadata };
    return message("assistant", index + 1, [
      { type: "step-start" },
      { type: "tool", tool: name, callID: `call_${machine.hash}${index}`, state },
      { type: "step-finish", reason: "tool-calls" },
    ]);
  });
  const last = [{ type: "step-start" }, { type: "text", text: `I am done with ${machine.word}.` }];
  const messages = [
    message("user", 0, [{ type: "text", text: goal }]),
    ...replies,
    message("assistant", calls.length + 1, last),
  ];
  return { file: `opencode/${id}.json`, text: JSON.stringify({ info: { ...about, time }, messages }) };
}
