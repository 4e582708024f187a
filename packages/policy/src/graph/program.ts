/** Running graphs through ONNX Runtime. A program is one model, compiled once; feeds are checked before every run. */
import type { InferenceSession, Tensor as RuntimeTensor } from "onnxruntime-node";
import { EngineError } from "limbeck-base/base/errors";
import { holdSession } from "./kept-sessions.ts";
import { toOnnx, type OnnxModel } from "./onnx.ts";
import { loadOnnxRuntime } from "./runtime.ts";
import { describeType, elementCount, type DataType, type Tensor, type TensorData, type TensorType } from "./tensor.ts";

export interface ProgramOptions {
  /** Execution providers in order of preference; "cuda", "webgpu", "coreml" where the runtime has them. Default: "cpu". */
  readonly providers?: readonly string[];
  /** Threads inside one operator. Default: the runtime's own choice. */
  readonly threads?: number;
}

export interface CompileOptions extends ProgramOptions {
  /** Inputs that take any number of rows; see `toOnnx`. */
  readonly freeRows?: readonly string[];
  /** Whether this is one of many programs that run in turns. Default: false. */
  readonly inTurns?: boolean;
  /** Whether its threads stop looking for work when a run is over, as those of programs in turns do. Default: false. */
  readonly calm?: boolean;
}

export interface Program {
  /** Without its bytes, which the session has. */
  readonly model: OnnxModel;
  /** Values by input name, results by output name. Results are the caller's own; those named in `into` are written there. */
  run(
    feeds: Readonly<Record<string, TensorData>>,
    into?: Readonly<Record<string, TensorData>>,
  ): Promise<Record<string, TensorData>>;
  close(): Promise<void>;
}

const TYPE_NAMES: Readonly<Record<DataType, string>> = {
  float32: "Float32Array",
  float16: "Uint16Array",
  int64: "BigInt64Array",
  bool: "Uint8Array",
  uint8: "Uint8Array",
};

/**
 * Compiles named outputs to a program.
 *
 * @example
 * import { input, ops } from "limbeck/local";
 *
 * const x = input("x", "float32", [1]);
 * const program = await compile({ twice: ops.add(x, x) });
 * console.log((await program.run({ x: Float32Array.of(21) }))["twice"]); // Float32Array(1) [ 42 ]
 * await program.close();
 */
export async function compile(
  outputs: Readonly<Record<string, Tensor>>,
  options: CompileOptions = {},
): Promise<Program> {
  const runtime = await loadOnnxRuntime();
  const { freeRows = [] } = options;
  const whole = toOnnx(outputs, freeRows);
  const wanted = sessionOptions(options);
  const { session, release } = await holdSession(whole.bytes, wanted, () =>
    createSession(runtime.InferenceSession, whole, wanted),
  );
  // The session has them now; some are as large as the weights.
  const model = { ...whole, bytes: new Uint8Array(0) };
  const inputs = Object.entries(model.inputs);
  const outputTypes = Object.entries(model.outputs);
  /** Most of what is given was given before: parameters, tables, a cache. The map holds on to none of it. */
  const known = new WeakMap<TensorData, { readonly type: TensorType; readonly tensor: RuntimeTensor }>();
  const wrap = (name: string, type: TensorType, data: TensorData | undefined): RuntimeTensor => {
    const before = data === undefined ? undefined : known.get(data);
    if (before?.type === type) return before.tensor;
    const free = freeRows.length > 0 && (freeRows.includes(name) || Object.hasOwn(model.outputs, name));
    const fitting = free ? withRows(type, data) : type;
    const checked = checkFeed(name, fitting, data);
    const tensor = new runtime.Tensor(type.dtype, checked as never, [...fitting.shape]);
    known.set(checked, { type, tensor });
    return tensor;
  };
  return {
    model,
    run: async (feeds, into = {}) => {
      const tensors: Record<string, RuntimeTensor> = {};
      for (const [name, type] of inputs) tensors[name] = wrap(name, type, feeds[name]);
      const fetches: Record<string, RuntimeTensor | null> = {};
      for (const [name, type] of outputTypes) {
        const place = into[name];
        fetches[name] = place === undefined ? null : wrap(name, type, place);
      }
      const results = await session.run(tensors, fetches);
      return Object.fromEntries(outputTypes.map(([name]) => [name, results[name]?.data as TensorData]));
    },
    close: release,
  };
}

/** Only what the runtime is given: a caller's own options, weights among them, would make two equal sessions look different. */
function sessionOptions({ providers = ["cpu"], threads, inTurns = false, calm = false }: CompileOptions) {
  return {
    executionProviders: [...providers],
    ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
    graphOptimizationLevel: "all",
    // One planned block per run is no faster here and takes twice the memory.
    enableMemPattern: false,
    // A session keeps the memory of its largest run: of one that is fine, of many it is more than their weights.
    enableCpuMemArena: !inTurns,
    // Probabilities that underflow are exact zeros; as denormal numbers they would slow every product many times.
    // Many sessions take turns: threads of one that has nothing to do must not spin while another works.
    extra: { session: { set_denormal_as_zero: "1", force_spinning_stop: inTurns || calm ? "1" : "0" } },
  } as const;
}

async function createSession(
  factory: typeof InferenceSession,
  model: OnnxModel,
  options: ReturnType<typeof sessionOptions>,
): Promise<InferenceSession> {
  try {
    return await factory.create(model.bytes, options);
  } catch (cause) {
    const providers = options.executionProviders.join(", ");
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError(
      "graph-compile",
      `ONNX Runtime did not accept a graph of ${model.nodes} nodes (providers: ${providers}): ${why}`,
      { cause },
    );
  }
}

/** The type for as many whole rows as the data holds. */
function withRows({ shape: [, ...row], dtype }: TensorType, data: TensorData | undefined): TensorType {
  return { dtype, shape: [Math.floor((data?.length ?? 0) / elementCount(row)), ...row] };
}

function checkFeed(name: string, type: TensorType, data: TensorData | undefined): TensorData {
  if (data === undefined) {
    throw new EngineError("graph-feed", `Input "${name}" (${describeType(type)}) was not given.`);
  }
  if (data.constructor.name !== TYPE_NAMES[type.dtype]) {
    throw new EngineError(
      "graph-feed",
      `Input "${name}" is ${describeType(type)} and takes a ${TYPE_NAMES[type.dtype]}; got a ${data.constructor.name}.`,
    );
  }
  if (data.length !== elementCount(type.shape)) {
    throw new EngineError(
      "graph-feed",
      `Input "${name}" is ${describeType(type)} and takes ${elementCount(type.shape)} values; got ${data.length}.`,
    );
  }
  return data;
}
