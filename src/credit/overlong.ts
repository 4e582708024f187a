/** DAPO's soft punishment of overlong responses. */

/**
 * 0 up to `maxTokens - bufferTokens`, then falling in a straight line to `-factor` at `maxTokens` and on beyond it.
 */
export function overlongBonus(
  length: number,
  {
    maxTokens,
    bufferTokens,
    factor,
  }: { readonly maxTokens: number; readonly bufferTokens: number; readonly factor: number },
): number {
  return Math.min((-(length - (maxTokens - bufferTokens)) / bufferTokens) * factor, 0);
}
