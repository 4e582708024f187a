/**
 * A set of trajectories as a forest: who branched from whom, and whether it all fits together.
 * Every function is linear in the number of steps and tokens it looks at.
 */
import { EngineError } from "../base/errors.ts";
import { canonicalJson } from "../base/json.ts";
import type { Step, TokenStream, Trajectory } from "./trajectory.ts";

export type Forest = ReadonlyMap<string, Trajectory>;

/** One thing that is wrong, as data; `validateForest` collects them all. */
export interface Fault {
  readonly code:
    | "allowed-shape"
    | "bad-span"
    | "branch-point"
    | "duplicate-id"
    | "parent-cycle"
    | "parent-missing"
    | "parent-task"
    | "reward-step"
    | "span-order"
    | "step-gap"
    | "stream-length"
    | "task-differs";
  readonly trajectory: string;
  readonly message: string;
}

/**
 * Indexes trajectories by id; two with one id are an error.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 2 });
 * console.log(createForest(trajectories).size); // 4
 */
export function createForest(trajectories: Iterable<Trajectory>): Forest {
  const forest = new Map<string, Trajectory>();
  for (const trajectory of trajectories) {
    if (forest.has(trajectory.id)) {
      throw new EngineError("duplicate-id", `Two trajectories are named "${trajectory.id}"; ids must be unique.`);
    }
    forest.set(trajectory.id, trajectory);
  }
  return forest;
}

/**
 * The trajectory, its parent, and so on to the root. A missing parent or a cycle is an error.
 *
 * @example
 * import { createForest } from "limbeck/reward";
 *
 * const strategyOptions = { by: "policy", count: 2 };
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1, strategy: "alternatives", strategyOptions, maxSteps: 2 });
 * const forest = createForest(trajectories);
 * console.log(trajectories.map(({ id }) => ancestry(forest, id).length)); // [ 1, 2, 2, 2, 2 ]
 */
export function ancestry(forest: Forest, id: string): Trajectory[] {
  const line: Trajectory[] = [];
  const seen = new Set<string>();
  for (let next: string | undefined = id; next !== undefined;) {
    const trajectory = forest.get(next);
    if (trajectory === undefined) {
      const child = line.at(-1)?.id;
      const named = child === undefined ? "" : `, the parent of "${child}"`;
      throw new EngineError(
        "parent-missing",
        `No trajectory "${next}"${named}. Load the whole forest, or drop the branch.`,
      );
    }
    if (seen.has(next)) {
      throw new EngineError("parent-cycle", `The parents of trajectory "${id}" form a cycle through "${next}".`);
    }
    seen.add(next);
    line.push(trajectory);
    next = trajectory.parent?.trajectory;
  }
  return line;
}

/**
 * All steps of the episode that ends in this trajectory, from the root, each step once.
 *
 * @example
 * import { createForest } from "limbeck/reward";
 *
 * const strategyOptions = { by: "policy", count: 2 };
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1, strategy: "alternatives", strategyOptions, maxSteps: 2 });
 * const forest = createForest(trajectories);
 * console.log(trajectories.map(({ steps }) => steps.length)); // [ 2, 1, 1, 1, 1 ]
 * console.log(trajectories.map(({ id }) => episodeSteps(forest, id).length)); // [ 2, 1, 1, 2, 2 ]
 */
export function episodeSteps(forest: Forest, id: string): Step[] {
  const pieces: (readonly Step[])[] = [];
  let end = Number.POSITIVE_INFINITY;
  for (const trajectory of ancestry(forest, id)) {
    const limit = end;
    pieces.push(trajectory.steps.filter((step) => step.index < limit));
    end = Math.min(end, trajectory.parent?.step ?? end);
  }
  return pieces.reverse().flat();
}

/**
 * Everything that is wrong with a set of trajectories; an empty list means it is a valid forest.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * const orphans = trajectories.map((one) => ({ ...one, parent: { trajectory: "lost", step: 0 } }));
 * console.log(validateForest(trajectories), validateForest(orphans)[0]?.code); // [] parent-missing
 */
export function validateForest(trajectories: readonly Trajectory[]): Fault[] {
  const faults: Fault[] = [];
  const byId = new Map<string, Trajectory>();
  const tasks = new Map<string, string>();
  const report = (code: Fault["code"], trajectory: Trajectory, message: string): void => {
    faults.push({ code, trajectory: trajectory.id, message: `Trajectory "${trajectory.id}": ${message}` });
  };
  for (const trajectory of trajectories) {
    if (byId.has(trajectory.id)) report("duplicate-id", trajectory, "another one has the same id.");
    byId.set(trajectory.id, trajectory);
    const task = canonicalJson(trajectory.task);
    const known = tasks.get(trajectory.task.id);
    if (known !== undefined && known !== task) {
      report("task-differs", trajectory, `task "${trajectory.task.id}" differs from the task of that id elsewhere.`);
    }
    tasks.set(trajectory.task.id, known ?? task);
    for (const fault of trajectoryFaults(trajectory)) report(fault.code, trajectory, fault.message);
  }
  const rooted = new Set<string>();
  for (const trajectory of trajectories) {
    const fault = parentFault(trajectory, byId);
    if (fault !== undefined) report(fault.code, trajectory, fault.message);
    if (leadsToCycle(trajectory, byId, rooted)) report("parent-cycle", trajectory, "its parents form a cycle.");
  }
  return faults;
}

type Finding = Pick<Fault, "code" | "message">;

function trajectoryFaults(trajectory: Trajectory): Finding[] {
  const first = trajectory.parent?.step ?? 0;
  const findings: Finding[] = [];
  const used = new Map<number, number>();
  trajectory.streams.forEach((stream, index) => findings.push(...streamFaults(stream, index)));
  trajectory.steps.forEach((step, position) => {
    if (step.index !== first + position) {
      findings.push({ code: "step-gap", message: `step ${step.index} stands where step ${first + position} belongs.` });
    }
    if (step.span === undefined) return;
    const { stream, start, end } = step.span;
    const length = trajectory.streams[stream]?.ids.length;
    const where = `step ${step.index} names tokens ${start} to ${end} of stream ${stream}`;
    if (length === undefined) {
      findings.push({ code: "bad-span", message: `${where}; there are ${trajectory.streams.length} streams.` });
    } else if (start > end || end > length) {
      findings.push({ code: "bad-span", message: `${where}; it has ${length} tokens.` });
    } else if (start < (used.get(stream) ?? 0)) {
      findings.push({
        code: "span-order",
        message: `${where}, which an earlier step has used up to ${used.get(stream)}.`,
      });
    }
    used.set(stream, Math.max(end, used.get(stream) ?? 0));
  });
  const last = first + trajectory.steps.length;
  for (const reward of trajectory.rewards) {
    if (reward.step === undefined || (reward.step >= first && reward.step < last)) continue;
    findings.push({
      code: "reward-step",
      message: `reward "${reward.name}" is for step ${reward.step}, which is not one of its steps.`,
    });
  }
  return findings;
}

function streamFaults(stream: TokenStream, index: number): Finding[] {
  const { ids, allowed } = stream;
  const findings: Finding[] = [];
  for (const field of ["mask", "logprobs", "sampledLogprobs", "versions", "temperatures", "weights"] as const) {
    const values = stream[field];
    if (values === undefined || values.length === ids.length) continue;
    findings.push({
      code: "stream-length",
      message: `stream ${index} has ${ids.length} ids and ${values.length} ${field}.`,
    });
  }
  if (allowed !== undefined && !validOffsets(allowed.offsets, ids.length, allowed.ids.length)) {
    findings.push({
      code: "allowed-shape",
      message: `stream ${index}: allowed offsets must rise from 0 to ${allowed.ids.length} in ${ids.length + 1} entries.`,
    });
  }
  return findings;
}

function validOffsets(offsets: Int32Array, tokens: number, total: number): boolean {
  if (offsets.length !== tokens + 1 || offsets[0] !== 0 || offsets[tokens] !== total) return false;
  return offsets.every((offset, index) => index === 0 || offset >= (offsets[index - 1] as number));
}

function parentFault(trajectory: Trajectory, byId: Forest): Finding | undefined {
  if (trajectory.parent === undefined) return undefined;
  const { step, token } = trajectory.parent;
  const parent = byId.get(trajectory.parent.trajectory);
  if (parent === undefined) {
    return { code: "parent-missing", message: `its parent "${trajectory.parent.trajectory}" is not among them.` };
  }
  if (parent.task.id !== trajectory.task.id) {
    return {
      code: "parent-task",
      message: `its parent works on task "${parent.task.id}", it on "${trajectory.task.id}".`,
    };
  }
  const first = parent.parent?.step ?? 0;
  const end = first + parent.steps.length;
  // A branch may leave after the parent's last step (step === end): it goes on where the parent was cut off.
  if (step < first || step > end) {
    return {
      code: "branch-point",
      message: `it leaves "${parent.id}" at step ${step}, which has steps ${first} to ${end - 1}.`,
    };
  }
  const span = parent.steps[step - first]?.span;
  if (token !== undefined && span !== undefined && token > span.end - span.start) {
    return {
      code: "branch-point",
      message: `it leaves step ${step} of "${parent.id}" at token ${token} of ${span.end - span.start}.`,
    };
  }
  return undefined;
}

/** Follows parents until a trajectory known to reach a root; what was passed is then known too, so all walks are linear. */
function leadsToCycle(trajectory: Trajectory, byId: Forest, rooted: Set<string>): boolean {
  const path = new Set<string>();
  for (let next: Trajectory | undefined = trajectory; next !== undefined && !rooted.has(next.id);) {
    if (path.has(next.id)) return true;
    path.add(next.id);
    next = next.parent === undefined ? undefined : byId.get(next.parent.trajectory);
  }
  for (const id of path) rooted.add(id);
  return false;
}
