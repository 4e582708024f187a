/**
 * The contract of an operator: what shapes it takes, how it is written in ONNX, and its gradient rule.
 * A rule is written with other operators, which it receives as an argument, so that operators do not import each other.
 */
import type { Attributes, Node, Shape, Tensor, TensorType } from "./tensor.ts";

export interface Operator {
  /** Types of the outputs, or an error (a plain sentence; the caller adds operator and shapes). */
  readonly infer: (inputs: readonly TensorType[], attributes: Attributes) => readonly TensorType[] | string;
  /** How it is written. `extra` inputs (axes, shapes) are constants that follow the node's own inputs. */
  readonly onnx?: (node: Node) => OnnxForm;
  /** A composite operator instead says which others it stands for; only its gradient rule is its own. */
  readonly lower?: (context: LowerContext) => readonly Tensor[];
  /** Gradients of the inputs from those of the outputs; undefined where there is none. Absent: not differentiable. */
  readonly gradient?: (context: GradientContext) => readonly (Tensor | undefined)[];
  /** Small cases that the contract suite checks against finite differences and against plain arithmetic. */
  readonly cases: readonly OperatorCase[];
}

export interface OnnxForm {
  readonly type: string;
  /** "" is the standard set; "com.microsoft" the runtime's own. */
  readonly domain?: string;
  readonly attributes?: Attributes;
  readonly floatAttributes?: Readonly<Record<string, number>>;
  readonly extra?: readonly (readonly number[] | { readonly float: number })[];
}

export interface GradientContext {
  readonly node: Node;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  readonly gradients: readonly (Tensor | undefined)[];
  readonly ops: Builders;
}

export interface LowerContext extends Pick<GradientContext, "node" | "inputs" | "ops"> {
  /** Whether anything needs the output of that number. */
  readonly uses: (output: number) => boolean;
}

export interface OperatorCase {
  /** A fixed input is a table that has no gradient. */
  readonly inputs: readonly (TensorType & { readonly range?: readonly [number, number]; readonly fixed?: boolean })[];
  readonly attributes?: Attributes;
}

/** Scores of keys, what limits them, and the values of the keys; see the operator `attend`. */
export interface AttendPart {
  readonly scores: Tensor;
  readonly limits?: Tensor | undefined;
  readonly values: Tensor;
}

/** Operators over one tensor, over two (element by element, and others), over axes and along one. */
export const UNARY = ["neg", "exp", "log", "sqrt", "reciprocal", "sigmoid", "tanh", "silu", "stopGradient"] as const;
export const ARITHMETIC = ["add", "sub", "mul", "div", "min", "equal", "greater"] as const;
export const PAIRED = ["matmul", "gatedSilu", "gather", "pickLogprob"] as const;
export const OVER_AXES = ["reduceSum", "reduceMean", "reduceMax"] as const;
export const ALONG_AXIS = ["softmax", "logSoftmax"] as const;

type Each<Names extends readonly string[], Build> = Readonly<Record<Names[number], Build>>;

/** Functions that add a node; one per operator, and a few that combine them. */
export interface Builders
  extends
    Each<typeof UNARY, (value: Tensor) => Tensor>,
    Each<typeof ARITHMETIC | typeof PAIRED, (left: Tensor, right: Tensor) => Tensor>,
    Each<typeof OVER_AXES, (value: Tensor, axes: readonly number[]) => Tensor>,
    Each<typeof ALONG_AXIS, (value: Tensor, axis: number) => Tensor> {
  gemm(left: Tensor, right: Tensor, options?: { readonly transLeft?: boolean; readonly transRight?: boolean }): Tensor;
  quantisedLinear(value: Tensor, codes: Tensor, scales: Tensor, bits: number): Tensor;
  transpose(value: Tensor, order: readonly number[]): Tensor;
  reshape(value: Tensor, shape: Shape): Tensor;
  expand(value: Tensor, shape: Shape): Tensor;
  concat(values: readonly Tensor[], axis: number): Tensor;
  split(value: Tensor, sizes: readonly number[], axis: number): Tensor[];
  slice(value: Tensor, axis: number, start: number, end: number): Tensor;
  pad(value: Tensor, axis: number, before: number, after: number): Tensor;
  scatterRows(indices: Tensor, updates: Tensor, rows: number): Tensor;
  gatherElements(value: Tensor, indices: Tensor, axis: number): Tensor;
  /** Into zeros of that size, or onto a tensor that is given. */
  scatterElements(indices: Tensor, updates: Tensor, size: number, axis: number, onto?: Tensor): Tensor;
  where(condition: Tensor, yes: Tensor, no: Tensor): Tensor;
  cast(value: Tensor, dtype: "float32" | "float16" | "int64" | "bool"): Tensor;
  rmsNorm(value: Tensor, scale: Tensor, epsilon: number): Tensor;
  rotary(value: Tensor, positions: Tensor, cosine: Tensor, sine: Tensor): Tensor;
  attend(shared: AttendPart, own?: AttendPart): Tensor;
  pickLinear(hidden: Tensor, weight: Tensor, indices: Tensor): Tensor;
  /** Values and indices. */
  topK(value: Tensor, count: number): [Tensor, Tensor];
  /** Sums over the axes that broadcasting stretched, so that a gradient has its input's shape again. */
  sumTo(value: Tensor, shape: Shape): Tensor;
}
