/** Keeps the book of model calls: gives each its place, its times and its line. Shared by everything that records. */
import { BROKEN_OFF, type CallLine, type Fault, type Origin } from "./lines.ts";
import type { Answer, AskedCall } from "./shape.ts";
import { skillsIn } from "./selection/section.ts";
import { Threads } from "./threads.ts";

export interface CallScope extends Origin {
  /** The trajectory, where the agent names it. */
  readonly trajectory?: string;
}

export interface OpenCall {
  readonly trajectory: string;
  /** The first piece of the answer came. */
  arrived(): void;
  finish(answer: Answer): void;
}

export interface CallBookOptions {
  readonly newId: () => string;
  /** Milliseconds since 1970, and a clock that only grows. */
  readonly now: () => number;
  readonly clock: () => number;
  readonly write: (line: CallLine) => void;
}

export class CallBook {
  readonly #options: CallBookOptions;
  readonly #threads: Threads;
  /** Tools of each trajectory as last written, in the order of last use. */
  readonly #tools = new Map<string, string>();

  constructor(options: CallBookOptions) {
    this.#options = options;
    this.#threads = new Threads({ newId: options.newId });
  }

  begin(
    asked: AskedCall,
    scope: CallScope,
    provider: string,
    write: (line: CallLine) => void = this.#options.write,
  ): OpenCall {
    const { now, clock, newId } = this.#options;
    const { trajectory: wanted, ...origin } = scope;
    const call = newId();
    const placed = this.#threads.place(call, asked.messages, wanted);
    const [startedAt, started] = [new Date(now()).toISOString(), clock()];
    const skills = skillsIn(asked.messages);
    const tools = this.#newTools(placed.trajectory, asked.tools);
    let firstChunkMs: number | undefined;
    let open = true;
    const since = (): number => Math.round((clock() - started) * 1000) / 1000;
    return {
      trajectory: placed.trajectory,
      arrived: () => {
        firstChunkMs ??= since();
      },
      finish: (answer) => {
        if (!open) return;
        open = false;
        placed.answered(answer.complete ? answer.reply : undefined);
        const model = asked.model ?? answer.model;
        const error = faultOf(answer);
        write({
          limbeck: "call",
          v: 1,
          trajectory: placed.trajectory,
          call,
          ...(placed.after === undefined ? {} : { after: placed.after }),
          ...origin,
          provider,
          ...(model === undefined ? {} : { model }),
          startedAt,
          durationMs: since(),
          ...(firstChunkMs === undefined ? {} : { firstChunkMs }),
          messages: placed.fresh,
          ...(skills === undefined ? {} : { skills }),
          ...(answer.reply === undefined ? {} : { reply: answer.reply }),
          ...(answer.finish === undefined ? {} : { finish: answer.finish }),
          ...(answer.usage === undefined ? {} : { usage: answer.usage }),
          ...(tools === undefined ? {} : { tools }),
          ...(error === undefined ? {} : { error }),
          ...(answer.reply !== undefined && !answer.complete ? { partial: true as const } : {}),
        });
      },
    };
  }

  forget(trajectory: string): void {
    this.#threads.forget(trajectory);
    this.#tools.delete(trajectory);
  }

  #newTools(trajectory: string, tools: AskedCall["tools"]): AskedCall["tools"] {
    if (tools === undefined || tools.length === 0) return undefined;
    const written = JSON.stringify(tools);
    const same = this.#tools.get(trajectory) === written;
    this.#tools.delete(trajectory);
    this.#tools.set(trajectory, written);
    const [oldest] = this.#tools.keys();
    if (this.#tools.size > 2000 && oldest !== undefined) this.#tools.delete(oldest);
    return same ? undefined : tools;
  }
}

function faultOf(answer: Answer): Fault | undefined {
  if (answer.error !== undefined || answer.complete) return answer.error;
  return BROKEN_OFF;
}
