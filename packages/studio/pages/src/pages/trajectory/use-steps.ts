/** Steps of a trajectory, fetched as they come into sight. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Answer, Entropies, StepDetail, TrajectoryDetail } from "../../../../src/serve/api.ts";
import type { Client } from "../../client/client.ts";
import { toFailure, type Failure } from "../../client/failure.ts";
import { useClient } from "../../client/use-answer.ts";

/** Steps of one request; long enough for a screen, short enough to come at once. */
export const CHUNK = 50;

type Entropy = readonly (number | null)[];

export interface Steps {
  /** The step at a place of the trajectory; undefined while it is on its way. */
  readonly at: (place: number) => StepDetail | undefined;
  readonly entropyAt: (step: number) => Entropy | undefined;
  /** Fetches what is missing of these places, `end` exclusive. */
  readonly want: (start: number, end: number) => void;
  readonly failure: Failure | undefined;
  /** Which model gave the entropies, once they are there. */
  readonly entropyFrom: Entropies["update"] | undefined;
}

/** `entropy`: fetches those too. */
export function useSteps(detail: TrajectoryDetail, entropy: boolean): Steps {
  const client = useClient();
  const steps = useRef(new Map<number, StepDetail>());
  const entropies = useRef(new Map<number, Entropy>());
  const asked = useRef(new Set<string>());
  const sight = useRef({ start: 0, end: CHUNK });
  const [, redraw] = useState(0);
  const [failure, setFailure] = useState<Failure>();
  const [entropyFrom, setEntropyFrom] = useState<Entropies["update"]>();

  useMemo(() => {
    steps.current = new Map(detail.window.map((step, at) => [detail.from + at, step]));
    entropies.current = new Map();
    asked.current = new Set();
  }, [detail]);

  const fetchChunk = useCallback(
    (kind: "steps" | "entropy", chunk: number) => {
      const key = `${kind} ${chunk}`;
      if (asked.current.has(key)) return;
      asked.current.add(key);
      const keep = kind === "steps" ? keepSteps(steps.current, chunk * CHUNK) : keepEntropies(entropies.current);
      ask(client, kind, detail, chunk).then(
        (answer) => {
          keep(answer);
          if ("update" in answer) setEntropyFrom(answer.update);
          redraw((round) => round + 1);
        },
        (error: unknown) => setFailure(toFailure(error)),
      );
    },
    [client, detail],
  );

  const want = useCallback(
    (start: number, end: number) => {
      sight.current = { start, end };
      const last = Math.min(end, detail.outline.length) - 1;
      for (let chunk = Math.floor(start / CHUNK); chunk <= Math.floor(last / CHUNK); chunk += 1) {
        const places = Array.from({ length: CHUNK }, (_, at) => chunk * CHUNK + at);
        const missing = places.some((place) => place < detail.outline.length && !steps.current.has(place));
        if (missing) fetchChunk("steps", chunk);
        if (entropy) fetchChunk("entropy", chunk);
      }
    },
    [detail, entropy, fetchChunk],
  );
  useEffect(() => {
    setFailure(undefined);
    want(sight.current.start, sight.current.end);
  }, [want]);
  return {
    at: (place) => steps.current.get(place),
    entropyAt: (step) => entropies.current.get(step),
    want,
    failure,
    entropyFrom,
  };
}

type Chunk = Answer<"steps"> | Answer<"entropy">;

function ask(client: Client, kind: "steps" | "entropy", { run, id }: TrajectoryDetail, chunk: number): Promise<Chunk> {
  return client.call(kind, { of: run, query: { id, from: chunk * CHUNK, count: CHUNK } });
}

function keepSteps(into: Map<number, StepDetail>, from: number): (answer: Chunk) => void {
  return (answer) => {
    if ("window" in answer) for (const [at, step] of answer.window.entries()) into.set(from + at, step);
  };
}

function keepEntropies(into: Map<number, Entropy>): (answer: Chunk) => void {
  return (answer) => {
    if ("steps" in answer) for (const { index, entropy } of answer.steps) into.set(index, entropy);
  };
}
