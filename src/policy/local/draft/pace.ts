/**
 * Whether drafts pay, as measured: milliseconds for a token that was said, with drafts and without, by how many speak at
 * once. A pass over several tokens costs more than one over a single token, and how much more depends on the model, the
 * machine and the company.
 */

export interface Pace {
  /** Whether the next response should be drafted, beside so many others. */
  drafts(rows: number): boolean;
  /** A pass of so many rows said so many tokens. */
  took(drafted: boolean, pass: { readonly rows: number; readonly milliseconds: number; readonly tokens: number }): void;
}

interface Known {
  passes: number;
  /** Milliseconds for a token: a running mean. */
  cost: number;
}

/** Passes that are looked at before a way is judged, and after which the dearer way is tried again. */
const TRIED = 6;
const TRY_AGAIN = 400;
/** The weight of a new pass. */
const NEWEST = 0.15;
/** Drafts must be cheaper by this, so that noise alone does not choose them. */
const CLEARLY = 0.95;

export function createPace(): Pace {
  const known = new Map<string, Known>();
  const at = (drafted: boolean, rows: number): Known => {
    const key = `${drafted} ${Math.ceil(Math.log2(Math.max(1, rows)))}`;
    const found = known.get(key) ?? { passes: 0, cost: 0 };
    known.set(key, found);
    return found;
  };
  return {
    drafts: (rows) => {
      const [plain, drafted] = [at(false, rows), at(true, rows)];
      if (plain.passes < TRIED) return false;
      if (drafted.passes < TRIED) return true;
      const cheaper = drafted.cost < CLEARLY * plain.cost;
      const [chosen, other] = cheaper ? [drafted, plain] : [plain, drafted];
      if (chosen.passes < TRY_AGAIN) return cheaper;
      chosen.passes = TRIED;
      other.passes = 0;
      return !cheaper;
    },
    took: (drafted, { rows, milliseconds, tokens }) => {
      if (tokens === 0) return;
      const one = at(drafted, rows);
      const cost = milliseconds / tokens;
      // The first passes of a shape are slower than those that follow.
      one.cost = one.passes < 2 ? cost : one.cost + NEWEST * (cost - one.cost);
      one.passes += 1;
    },
  };
}
