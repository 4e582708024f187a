/** The live view of an arena: a bar for the whole, a line for every run that ends. */
import { accountNames } from "limbeck-training/arena/words";
import type { ArenaPlan } from "limbeck-training/arena/plan";
import type { JournalLine } from "limbeck-training/arena/journal";
import type { RunEnd, RunName } from "limbeck-training/arena/run-plan";
import { spentAt } from "limbeck-training/arena/results";
import type { Invocation } from "../command.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { padEnd } from "../look/text-width.ts";
import { formatDuration, plural } from "limbeck-base/base/units";
import { spark } from "../train/view.ts";

export interface ArenaView {
  line(run: RunName, line: JournalLine): void;
  end(run: RunName, ended: RunEnd): void;
  close(): void;
}

interface Seen {
  readonly points: number[];
  /** What is spent of the budget, in its account. */
  spent: number;
  steps: number;
  updates: number;
  seconds: number;
  /** Milliseconds at its first line. */
  readonly since: number;
}

export function createArenaView(invocation: Invocation, plan: ArenaPlan): ArenaView {
  const { io, style } = invocation;
  const runs = new Map<string, Seen>();
  const total = plan.arms.length * plan.seeds.length;
  const width = Math.max(...plan.arms.map(({ name }) => name.length));
  const { account, amount } = plan.budget;
  const bar = invocation.progress({ label: `Arena, ${accountNames[account]}`, total: total * amount });
  let [over, kept] = [0, 0];
  const seenOf = ({ arm, seed }: RunName): Seen => {
    const key = `${arm}/${seed}`;
    const known = runs.get(key) ?? { points: [], spent: 0, steps: 0, updates: 0, seconds: 0, since: io.now() };
    runs.set(key, known);
    return known;
  };
  const draw = (detail: string): void => {
    const done = [...runs.values()].reduce((sum, { spent }) => sum + Math.min(amount, spent), kept * amount);
    bar.update(Math.floor(done), detail);
  };
  return {
    line: (run, line) => {
      const seen = seenOf(run);
      if (line.kind === "update") {
        seen.spent = spentAt(account, line);
        Object.assign(seen, { steps: line.environmentSteps, updates: line.update, seconds: line.seconds });
      } else if (line.kind === "point") seen.points.push(line.success);
      else if (line.kind === "notice") {
        invocation.note(`! ${cleanLine(run.arm)}, seed ${run.seed}, update ${line.update}: ${cleanLine(line.message)}`);
      }
      draw(`${cleanLine(run.arm)} ${run.seed}: update ${line.update} ${spark(seen.points)}`);
    },
    end: (run, { how, why }) => {
      over += 1;
      const name = `${padEnd(cleanLine(run.arm), width)}  seed ${String(run.seed).padEnd(3)}`;
      const place = style.dim(`${over} of ${total}`);
      bar.end();
      if (how === "kept") {
        kept += 1;
        invocation.print(`${style.dim("·")} ${name}  ${style.dim("was finished")}  ${place}`);
      } else if (how === "failed") {
        seenOf(run).spent = amount;
        invocation.print(`${style.red("✗")} ${name}  ${cleanLine(why ?? "failed")}  ${place}`);
      } else {
        const seen = seenOf(run);
        seen.spent = amount;
        invocation.print(`${style.green("✓")} ${name}  ${finishedWords(invocation, seen)}  ${place}`);
      }
      draw("");
    },
    close: () => bar.end(),
  };
}

function finishedWords({ io, style }: Invocation, { points, steps, updates, since }: Seen): string {
  const [first = Number.NaN, last = Number.NaN] = [points[0], points.at(-1)];
  const course = `${first.toFixed(2)} → ${style.bold(last.toFixed(2))} ${style.green(spark(points).padEnd(8))}`;
  const cost = `${plural(updates, "update")}, ${plural(steps, "step")}, ${formatDuration(io.now() - since)}`;
  return `${course}  ${style.dim(cost)}`;
}
