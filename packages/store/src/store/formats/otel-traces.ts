/**
 * Collects spans into traces, in bounded memory. Spans of a trace may be spread over lines and files and come in any
 * order, so a trace is held until its root was seen and it has been quiet for a while; when too much is held, the
 * quietest is given out. A span that comes after that is an error (a skip when lenient), never silently lost.
 */
import { faultAt, type FileLine } from "./fault.ts";
import type { Span } from "./otlp.ts";

export interface TraceLimits {
  /** A trace with its root is whole once this many spans of others followed. */
  readonly quietSpans?: number;
  /** Roughly how many bytes of spans may be held. */
  readonly maxHeldBytes?: number;
  /** How many finished traces are remembered, to notice late spans. */
  readonly remembered?: number;
}

export interface Trace {
  readonly id: string;
  readonly spans: readonly Span[];
  /** Where its first span stood. */
  readonly place: FileLine;
}

interface Held {
  readonly id: string;
  readonly spans: Span[];
  readonly place: FileLine;
  readonly first: number;
  last: number;
  weight: number;
}

export class TraceCollector {
  readonly #quietSpans: number;
  readonly #maxHeldBytes: number;
  readonly #remembered: number;
  // Both in order of the last span, quietest first: a map keeps the order of insertion.
  readonly #rooted = new Map<string, Held>();
  readonly #open = new Map<string, Held>();
  readonly #finished = new Set<string>();
  #seen = 0;
  #heldBytes = 0;

  constructor(limits: TraceLimits = {}) {
    this.#quietSpans = limits.quietSpans ?? 10_000;
    this.#maxHeldBytes = limits.maxHeldBytes ?? 256 * 1024 * 1024;
    this.#remembered = limits.remembered ?? 100_000;
  }

  /** Throws on a span whose trace has been given out. */
  add(span: Span, place: FileLine): void {
    if (this.#finished.has(span.traceId)) {
      const message = `span ${JSON.stringify(span.spanId)} comes after its trace ${JSON.stringify(span.traceId)} was complete. Sort the spans by trace.`;
      throw faultAt(place, "late-span", message);
    }
    this.#seen += 1;
    const id = span.traceId;
    const held = this.#rooted.get(id) ??
      this.#open.get(id) ?? { id, spans: [], place, first: this.#seen, last: 0, weight: 0 };
    const rooted = this.#rooted.delete(id) || span.parentSpanId === undefined;
    this.#open.delete(id);
    held.spans.push(span);
    held.last = this.#seen;
    held.weight += span.weight;
    this.#heldBytes += span.weight;
    (rooted ? this.#rooted : this.#open).set(id, held);
  }

  /** Traces that are whole, or must go to keep memory bounded. */
  *ready(): Generator<Trace, void, undefined> {
    for (const held of this.#rooted.values()) {
      const quiet = this.#seen - held.last >= this.#quietSpans;
      if (!quiet && this.#heldBytes <= this.#maxHeldBytes) break;
      yield this.#give(held);
    }
    for (const held of this.#open.values()) {
      if (this.#heldBytes <= this.#maxHeldBytes) break;
      yield this.#give(held);
    }
  }

  /** All that is left, in the order in which the traces began. */
  *rest(): Generator<Trace, void, undefined> {
    const left = [...this.#rooted.values(), ...this.#open.values()].sort((one, other) => one.first - other.first);
    for (const held of left) yield this.#give(held);
  }

  #give(held: Held): Trace {
    this.#rooted.delete(held.id);
    this.#open.delete(held.id);
    this.#heldBytes -= held.weight;
    this.#finished.add(held.id);
    if (this.#finished.size > this.#remembered) {
      const [oldest] = this.#finished;
      if (oldest !== undefined) this.#finished.delete(oldest);
    }
    return held;
  }
}
