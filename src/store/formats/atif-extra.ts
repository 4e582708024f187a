/**
 * Our own facts inside an ATIF document: the difference between the trajectory and the document's plain meaning, under
 * `extra.limbeck` of the document (trajectory, streams) and of each agent step (its step).
 */
import { isObject } from "../../base/index.ts";
import {
  trajectoryFromJson,
  trajectoryToJson,
  type Json,
  type JsonObject,
  type Trajectory,
  type TrajectoryJson,
} from "../../trajectory/index.ts";
import { buildDocument, type BuiltDocument } from "./atif-build.ts";
import { readPlain, withoutTextArguments } from "./atif-read.ts";
import type { AtifDocument } from "./atif-schema.ts";
import { faultAt, type Place } from "./fault.ts";
import { applyOverlay, overlay } from "./overlay.ts";

const VERSION = 1;
type Extra = { readonly extra?: unknown };

/** The document that reads back as exactly this trajectory. */
export function toDocument(trajectory: Trajectory, parent?: string): AtifDocument {
  const target = trajectoryToJson(trajectory);
  const built = buildDocument(target);
  const plain = differences(target, built, parent);
  if (plain.root === undefined && plain.steps.every((step) => step === undefined)) return built.document;
  // An empty `extra` cannot be told from none once ours has been taken out of it again, so it is dropped first.
  const document = {
    ...withoutEmptyExtra(built.document),
    steps: built.document.steps.map(withoutEmptyExtra),
  };
  const { root, steps } = differences(target, { ...built, document }, parent);
  const own = new Map(built.replies.map((position, index) => [position, steps[index]]));
  const marked = document.steps.map((step, position) => withOwn(step, own.get(position)));
  return { ...withOwn(document, root), steps: marked };
}

/** The trajectory of a checked document. */
export function fromDocument(checked: AtifDocument, place: Place, parent?: string): Trajectory {
  const document = withoutTextArguments(checked);
  const own = document.extra?.["limbeck"];
  const bare = { ...withoutOwn(document), steps: document.steps.map(withoutOwn) };
  const plain = readPlain(bare, parent);
  const replies = document.steps.filter((step) => step.source === "agent" && step.is_copied_context !== true);
  const steps = plain.steps.map((step, index) => {
    const difference = replies[index]?.extra?.["limbeck"];
    return isObject(difference) ? applyOverlay(step, difference) : step;
  });
  const whole = isObject(own) ? withRoot({ ...plain, steps } as TrajectoryJson, own, place) : { ...plain, steps };
  try {
    return trajectoryFromJson(whole);
  } catch (error) {
    throw faultAt(place, "bad-trajectory", error instanceof Error ? error.message : String(error));
  }
}

function withRoot(plain: TrajectoryJson, own: JsonObject, place: Place): JsonObject {
  if (own["version"] !== VERSION) {
    const found = JSON.stringify(own["version"] ?? null);
    throw faultAt(place, "atif-version", `extra.limbeck has version ${found}; known is ${VERSION}. Update limbeck.`);
  }
  const { trajectory, streams } = own;
  const fields = isObject(trajectory) ? applyOverlay(plain, trajectory) : plain;
  if (!Array.isArray(streams)) return fields;
  const rebuilt = streams.map((stream: Json, index) => {
    const before = plain.streams[index] ?? {};
    return isObject(stream) ? applyOverlay(before, stream) : before;
  });
  return { ...fields, streams: rebuilt };
}

function differences(
  target: TrajectoryJson,
  built: BuiltDocument,
  parent: string | undefined,
): { readonly root?: JsonObject; readonly steps: readonly (JsonObject | undefined)[] } {
  const plain = readPlain(built.document, parent);
  const { steps: targetSteps, streams: targetStreams, ...targetRest } = target;
  const { steps: plainSteps, streams: plainStreams, ...plainRest } = plain;
  const steps = targetSteps.map((step, index) => overlay(plainSteps[index] ?? {}, step));
  const trajectory = overlay(plainRest, targetRest);
  const streams = targetStreams.map((stream, index) => overlay(plainStreams[index] ?? {}, stream) ?? null);
  const sameStreams = targetStreams.length === plainStreams.length && streams.every((stream) => stream === null);
  if (trajectory === undefined && sameStreams) return { steps };
  return {
    root: {
      version: VERSION,
      ...(trajectory === undefined ? {} : { trajectory }),
      ...(sameStreams ? {} : { streams }),
    },
    steps,
  };
}

function withOwn<T extends Extra>(item: T, own: JsonObject | undefined): T {
  if (own === undefined) return item;
  return { ...item, extra: { ...(isObject(item.extra) ? item.extra : {}), limbeck: own } };
}

function withoutOwn<T extends Extra>(item: T): T {
  if (!isObject(item.extra) || !Object.hasOwn(item.extra, "limbeck")) return item;
  const { limbeck: _own, ...rest } = item.extra;
  const { extra: _extra, ...fields } = item;
  return (Object.keys(rest).length === 0 ? fields : { ...fields, extra: rest }) as T;
}

function withoutEmptyExtra<T extends Extra>(item: T): T {
  if (item.extra !== null && !(isObject(item.extra) && Object.keys(item.extra).length === 0)) return item;
  const { extra: _extra, ...fields } = item;
  return fields as T;
}
