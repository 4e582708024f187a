/** Progress of long work on standard error: a bar on a terminal, plain lines now and then elsewhere. */
import type { Progress, ProgressOptions } from "limbeck-base/base/operation";
import type { Style } from "./style.ts";
import { truncate } from "./text-width.ts";
import { formatBytes, formatCount, formatDuration } from "limbeck-base/base/units";

interface Canvas {
  readonly write: (text: string) => void;
  readonly now: () => number;
  readonly style: Style;
  readonly columns: number;
}

const DRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 10_000;
const BAR_COLUMNS = 24;
const CLEAR_LINE = "\r\u001b[2K";

export function silentProgress(): Progress {
  return { update: () => undefined, end: () => undefined };
}

/** One line that is drawn over and over. */
export function barProgress(options: ProgressOptions, canvas: Canvas): Progress {
  const started = canvas.now();
  let drawn = Number.NEGATIVE_INFINITY;
  return {
    update: (done, detail) => {
      const now = canvas.now();
      if (now - drawn < DRAW_EVERY_MS) return;
      drawn = now;
      const bar = options.total === undefined ? "" : `${drawBar(done / options.total)} `;
      const text = `${options.label}  ${bar}${describe(options, done, now - started)}${detail === undefined ? "" : `  ${detail}`}`;
      const cut = truncate(text, canvas.columns - 1);
      canvas.write(
        CLEAR_LINE +
          cut.replace(/[━╸]+/, (full) => canvas.style.green(full)).replace(/─+/, (rest) => canvas.style.dim(rest)),
      );
    },
    end: () => {
      if (drawn > Number.NEGATIVE_INFINITY) canvas.write(CLEAR_LINE);
    },
  };
}

/** One line every ten seconds, so that a log shows that the work is alive. */
export function lineProgress(options: ProgressOptions, canvas: Canvas): Progress {
  const started = canvas.now();
  let written = started;
  return {
    update: (done, detail) => {
      const now = canvas.now();
      if (now - written < LINE_EVERY_MS) return;
      written = now;
      const tail = detail === undefined ? "" : `, ${detail}`;
      canvas.write(`${options.label}: ${describe(options, done, now - started)}${tail}\n`);
    },
    end: () => undefined,
  };
}

function drawBar(share: number): string {
  const filled = Math.max(0, Math.min(1, share)) * BAR_COLUMNS;
  const full = Math.floor(filled);
  const half = filled - full >= 0.5 ? "╸" : "";
  return "━".repeat(full) + half + "─".repeat(BAR_COLUMNS - full - half.length);
}

function describe(options: ProgressOptions, done: number, elapsedMs: number): string {
  if (options.unit === "time") return formatDuration(elapsedMs);
  const format = options.unit === "bytes" ? formatBytes : formatCount;
  const parts = [options.total === undefined ? format(done) : `${format(done)} of ${format(options.total)}`];
  if (elapsedMs >= 500 && done > 0) {
    const perMs = done / elapsedMs;
    parts.push(`${format(perMs * 1000)}/s`);
    if (options.total !== undefined && done < options.total) {
      parts.push(`${formatDuration((options.total - done) / perMs)} left`);
    }
  }
  return parts.join(", ");
}
