/** Nearest vectors by the cosine of their angle. All lie in one array, at length one: a question only multiplies and adds. */

export interface Near {
  readonly at: number;
  readonly likeness: number;
}

/** The `most` nearest, best first. A question of another length than the vectors finds nothing. */
export type Nearest = (question: ArrayLike<number>, most: number) => Near[];

export function nearestBy(vectors: readonly ArrayLike<number>[]): Nearest {
  const length = vectors.reduce((longest, vector) => Math.max(longest, vector.length), 0);
  const rows = new Float32Array(vectors.length * length);
  for (const [at, vector] of vectors.entries()) if (vector.length === length) rows.set(unit(vector), at * length);
  return (question, most) => {
    if (question.length !== length || length === 0) return [];
    // The same numbers, widened once instead of at every product.
    const asked = Float64Array.from(unit(question));
    const best: Near[] = [];
    let least = Number.NEGATIVE_INFINITY;
    for (let at = 0; at < vectors.length; at += 1) {
      const likeness = product(rows, at * length, asked);
      if (best.length >= most && likeness <= least) continue;
      let place = best.length;
      while (place > 0 && (best[place - 1] as Near).likeness < likeness) place -= 1;
      best.splice(place, 0, { at, likeness });
      if (best.length > most) best.pop();
      least = (best.at(-1) as Near).likeness;
    }
    return best;
  };
}

/** Four sums at a time: additions that do not wait for each other take a third of the time. */
function product(rows: Float32Array, start: number, asked: Float64Array): number {
  const whole = asked.length - (asked.length % 4);
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let index = 0; index < whole; index += 4) {
    const at = start + index;
    first += (rows[at] as number) * (asked[index] as number);
    second += (rows[at + 1] as number) * (asked[index + 1] as number);
    third += (rows[at + 2] as number) * (asked[index + 2] as number);
    fourth += (rows[at + 3] as number) * (asked[index + 3] as number);
  }
  for (let index = whole; index < asked.length; index += 1) {
    first += (rows[start + index] as number) * (asked[index] as number);
  }
  return first + second + third + fourth;
}

/** At length one; zeros stay zeros. */
function unit(vector: ArrayLike<number>): Float32Array {
  const values = Float32Array.from(vector);
  const size = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return size === 0 ? values : values.map((value) => value / size);
}
