/**
 * How a server makes one loss of token losses, and how to ask it for a given gradient all the same.
 *
 * Servers differ in what they divide by: nothing (the hosted service, `limbeck trainer`), the weights of a sequence and
 * the number of sequences (SkyRL on JAX), or what a trainer's configuration says. The token loss of importance sampling is
 * -w r A with r = exp(lp - q). With q the current log-probability, r is 1, its derivative is -w A, and a server that
 * divides by c gives -w A / c. So A = -c d with w = 1 on the trained tokens gives the derivative d that was wanted.
 */
export type LossScale =
  | "sum"
  | "datum-mean"
  | "sequence-mean"
  | "sequence-mean-of-length"
  | "sequence-sum"
  | "sequence-sum-of-length"
  | "token-mean"
  | "token-mean-of-length";

/** Sizes of one datum: the sum of its weights, and its tokens. */
export interface DatumSize {
  readonly weight: number;
  readonly length: number;
}

interface Scale {
  /** What the server divides a datum's token losses by, given everything between two steps. */
  readonly divisor: (own: DatumSize, all: readonly DatumSize[]) => number;
  readonly meaning: string;
}

export const lossScales: Readonly<Record<LossScale, Scale>> = {
  sum: { divisor: () => 1, meaning: "token losses are summed" },
  "datum-mean": { divisor: (_, all) => all.length, meaning: "summed, divided by the number of sequences" },
  "sequence-mean": {
    divisor: ({ weight }, all) => weight * all.length,
    meaning: "divided by the sequence's weights, then by the number of sequences",
  },
  "sequence-mean-of-length": {
    divisor: ({ length }, all) => length * all.length,
    meaning: "divided by the sequence's length, then by the number of sequences",
  },
  "sequence-sum": { divisor: ({ weight }) => weight, meaning: "divided by the sequence's weights, then summed" },
  "sequence-sum-of-length": {
    divisor: ({ length }) => length,
    meaning: "divided by the sequence's length, then summed",
  },
  "token-mean": {
    divisor: (_, all) => all.reduce((total, { weight }) => total + weight, 0),
    meaning: "divided by all weights of the batch",
  },
  "token-mean-of-length": {
    divisor: (_, all) => all.reduce((total, { length }) => total + length, 0),
    meaning: "divided by all tokens of the batch",
  },
};

/** One measurement: gradients of the first datum's one trained token, next to others that train nothing. */
export type Experiment = readonly DatumSize[];

const LONG = 8;
const SHORT = 4;

/**
 * The same token with the same advantage, in five settings. What changes between them is only what a server may divide
 * by, so ratios of gradient norms name the divisor. `copies` trains the token twice.
 */
export const experiments = {
  alone: [{ weight: SHORT, length: SHORT }],
  otherwiseMasked: [{ weight: 1, length: SHORT }],
  longer: [{ weight: LONG, length: LONG }],
  copies: [
    { weight: SHORT, length: SHORT },
    { weight: SHORT, length: SHORT },
  ],
  beside: [
    { weight: SHORT, length: SHORT },
    { weight: LONG, length: LONG },
  ],
} as const satisfies Readonly<Record<string, Experiment>>;

export type ExperimentName = keyof typeof experiments;

/** The scale under which the measured norms would have come out, if there is one. */
export function identifyScale(norms: Readonly<Record<ExperimentName, number>>): LossScale | undefined {
  const measured = ratios(norms);
  const fitting = (Object.keys(lossScales) as LossScale[]).filter((name) => {
    const expected = ratios(expectedNorms(name));
    return expected.every((ratio, at) => Math.abs((measured[at] as number) / ratio - 1) < 0.05);
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

function expectedNorms(name: LossScale): Readonly<Record<ExperimentName, number>> {
  const { divisor } = lossScales[name];
  const norm = (all: Experiment, trained: number): number =>
    all.slice(0, trained).reduce((total, own) => total + 1 / divisor(own, all), 0);
  return {
    alone: norm(experiments.alone, 1),
    otherwiseMasked: norm(experiments.otherwiseMasked, 1),
    longer: norm(experiments.longer, 1),
    copies: norm(experiments.copies, 2),
    beside: norm(experiments.beside, 1),
  };
}

function ratios(norms: Readonly<Record<ExperimentName, number>>): readonly number[] {
  const { alone, ...others } = norms;
  return [others.otherwiseMasked, others.longer, others.copies, others.beside].map((norm) => norm / alone);
}
