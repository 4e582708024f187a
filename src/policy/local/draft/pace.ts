/**
 * How many tokens a pass should take, as measured: a pass over several tokens costs more than one over a single token, and how
 * much more depends on the model, the machine and the company. What is hoped for is divided by what it costs.
 */

/** Rows that speak together, as the graph is made for them. */
export interface Company {
  readonly rows: number;
  readonly slots: number;
}

export interface Pass extends Company {
  readonly width: number;
  readonly milliseconds: number;
  /** What it took to make its program, if it had to be made. */
  readonly making: number;
}

export interface Pace {
  /** The width of the next pass; `hoped` says how many tokens it would say. */
  width(company: Company, hoped: (width: number) => number): number;
  took(pass: Pass): void;
}

/** Tokens of a pass, for each of its rows. */
export const PASS_WIDTHS = [1, 2, 4, 8, 16] as const;

/** The last passes of a shape; their median counts, so that what else the machine does for a moment does not. */
interface Known {
  readonly times: number[];
  /** Passes of this company when it was last measured. */
  at: number;
}

interface Group {
  passes: number;
  readonly widths: Map<number, Known>;
  /** Milliseconds that a width without a program would have saved so far. */
  readonly missed: Map<number, number>;
}

const REMEMBERED = 9;
/** Plain passes that are looked at before a company is judged. */
const TRIED = 3;
/** After so many passes of its company without it, a width is looked at again. */
const STALE = 300;
/** A wider pass must be cheaper by this, so that noise alone does not choose it. */
const CLEARLY = 0.9;
/** A program is made when what it would have saved is so many times what it takes to make it. */
const PATIENCE = 3;

export function createPace(): Pace {
  const groups = new Map<string, Group>();
  /** What a width cost, in plain passes of the same rows, whatever their slots. */
  const ratios = new Map<string, number>();
  let making = 0;

  const groupOf = ({ rows, slots }: Company): Group => {
    const key = `${rows} ${slots}`;
    const group = groups.get(key) ?? { passes: 0, widths: new Map(), missed: new Map() };
    groups.set(key, group);
    return group;
  };
  const timeOf = (group: Group, width: number): number | undefined => {
    const known = group.widths.get(width);
    return known === undefined || group.passes - known.at > STALE ? undefined : median(known.times);
  };
  /** In plain passes. */
  const costOf = (group: Group, rows: number, width: number, plain: number): number => {
    const own = timeOf(group, width);
    return own === undefined ? (ratios.get(`${rows} ${width}`) ?? supposed(rows, width)) : own / plain;
  };

  return {
    width: (company, hoped) => {
      const group = groupOf(company);
      const plain = timeOf(group, 1);
      if (plain === undefined || (group.widths.get(1)?.times.length ?? 0) < TRIED) return 1;
      const now = hoped(1);
      let best = { width: 1, gain: now / CLEARLY };
      for (const width of PASS_WIDTHS.slice(1)) {
        const cost = costOf(group, company.rows, width, plain);
        const gain = hoped(width) / cost;
        if (gain <= best.gain) continue;
        if (!group.widths.has(width)) {
          // Its program has to be made first: as with skis, it is bought when hiring has cost more.
          const missed = (group.missed.get(width) ?? 0) + plain * (hoped(width) / now - cost);
          group.missed.set(width, missed);
          if (missed < PATIENCE * making) continue;
        }
        best = { width, gain };
      }
      return best.width;
    },
    took: ({ rows, slots, width, milliseconds, making: made }) => {
      const group = groupOf({ rows, slots });
      group.passes += 1;
      const known = group.widths.get(width);
      // The first pass of a shape is slower than those that follow.
      if (known === undefined) {
        making = Math.max(made, 0.8 * making);
        group.widths.set(width, { times: [], at: group.passes });
        return;
      }
      if (group.passes - known.at > STALE) known.times.length = 0;
      known.times.push(milliseconds);
      if (known.times.length > REMEMBERED) known.times.shift();
      known.at = group.passes;
      const plain = timeOf(group, 1);
      if (width > 1 && plain !== undefined) ratios.set(`${rows} ${width}`, (median(known.times) as number) / plain);
    },
  };
}

/** Before anything is known: about as much work as 24 tokens is there for any pass. */
function supposed(rows: number, width: number): number {
  return (24 + rows * width) / (24 + rows);
}

function median(times: readonly number[]): number | undefined {
  return times.toSorted((left, right) => left - right)[times.length >> 1];
}
