/**
 * Whether two ranges of codes lie within a number of insertions and deletions of each other.
 *
 * The distance is n + m - 2 LCS. Matching blocks are a common subsequence, so M <= LCS, and a pair beyond
 * n + m - 2 M cannot have M characters in matching blocks. Furthest-reaching points along diagonals (Myers 1986), only
 * those from which the end is still within reach, take time in the square of the limit, not of the lengths.
 */
export interface IndelTest {
  within(left: number, leftEnd: number, right: number, rightEnd: number, limit: number): boolean;
}

export function createIndelTest(codes: Uint32Array): IndelTest {
  let reach = new Int32Array(64);
  return {
    within: (left, leftEnd, right, rightEnd, limit) => {
      const [rows, columns] = [leftEnd - left, rightEnd - right];
      const goal = rows - columns;
      if (Math.abs(goal) > limit) return false;
      const middle = limit + 1;
      if (reach.length < 2 * middle + 1) reach = new Int32Array(4 * middle);
      reach[middle + 1] = 0;
      for (let edits = 0; edits <= limit; edits += 1) {
        const spare = limit - edits;
        let low = Math.max(-edits, goal - spare);
        if (((low + edits) & 1) === 1) low += 1;
        const high = Math.min(edits, goal + spare);
        for (let diagonal = low; diagonal <= high; diagonal += 2) {
          const at = middle + diagonal;
          const down =
            diagonal === -edits || (diagonal !== edits && (reach[at - 1] as number) < (reach[at + 1] as number));
          let row = down ? (reach[at + 1] as number) : (reach[at - 1] as number) + 1;
          let column = row - diagonal;
          while (row < rows && column < columns && codes[left + row] === codes[right + column]) {
            row += 1;
            column += 1;
          }
          reach[at] = row;
          if (row >= rows && column >= columns) return true;
        }
      }
      return false;
    },
  };
}
