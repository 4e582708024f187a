/** Every string of a small language, and how far two distributions over them are apart. */

export function responses(vocabularySize: number, length: number): number[][] {
  return Array.from({ length: vocabularySize ** length }, (_, number) =>
    Array.from({ length }, (_unused, at) => Math.floor(number / vocabularySize ** (length - 1 - at)) % vocabularySize),
  );
}

export function totalVariation(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, at) => sum + Math.abs(value - (right[at] ?? 0)), 0) / 2;
}
