/**
 * Chat templates come with models, from anywhere, and are programs. One runs here with bounded steps, so that none can hold the process or fill
 * its memory: each value that is worked out is a step, and `range` gives a bounded count of numbers.
 */
/** What is used of the library; its own types do not resolve here. */
interface Jinja {
  readonly Template: new (source: string) => Template;
  readonly Environment: new () => Environment;
  readonly Interpreter: new (environment: Environment) => Interpreter;
}

interface Template {
  readonly parsed: Statement;
  render(variables: Readonly<Record<string, unknown>>): string;
}

interface Environment {
  set(name: string, value: unknown): unknown;
}

interface Interpreter {
  run(program: Statement): Value;
  evaluate(statement: Statement | undefined, environment: Environment): Value;
}

interface Value {
  readonly value: unknown;
}

interface Statement {
  readonly type: string;
  /** What a loop goes through; with a condition it stands on its left side. */
  readonly iterable?: Statement & { readonly lhs?: Statement };
}

/** A message of a large template takes some hundred. */
const FREE_STEPS = 1_000_000;
const STEPS_PER_ENTRY = 5_000;
const STEPS_PER_ROUND = 10;
const MOST_NUMBERS = 100_000;
/** No text on the way may be longer; the whole is held to less (`chat-template.ts`). */
const MOST_LETTERS = 2 ** 27;

export interface BoundedTemplate {
  /** `entries` is the number of messages and tools: more of them may take more steps. */
  render(variables: Readonly<Record<string, unknown>>, entries: number): string;
}

export async function readTemplate(source: string): Promise<BoundedTemplate> {
  const jinja = (await import("@huggingface/jinja")) as unknown as Jinja;
  const template = new jinja.Template(source);
  const Counted = countedInterpreter(jinja);
  const clock = new jinja.Template("{{ strftime_now(form) }}");
  return {
    render: (variables, entries) => {
      const environment = new jinja.Environment();
      const globals = { ...constants, range: boundedRange(), strftime_now: (form: string) => clock.render({ form }) };
      for (const [name, value] of Object.entries({ ...globals, ...variables })) environment.set(name, value);
      const steps = FREE_STEPS + STEPS_PER_ENTRY * entries;
      return String(new Counted(environment, steps).run(template.parsed).value);
    },
  };
}

/** What every template may count on. */
const constants = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  raise_exception: (why: string): never => {
    throw new Error(why);
  },
};

function countedInterpreter({
  Interpreter: Plain,
}: Jinja): new (environment: Environment, most: number) => Interpreter {
  return class Counted extends Plain {
    #left: number;
    readonly #most: number;

    constructor(environment: Environment, most: number) {
      super(environment);
      [this.#left, this.#most] = [most, most];
    }

    override evaluate(statement: Statement | undefined, environment: Environment): Value {
      this.#left -= 1;
      // A round of a loop costs a scope, also where nothing stands in it; all are made before the first.
      if (statement?.type === "For") this.#left -= STEPS_PER_ROUND * this.#rounds(statement, environment);
      if (this.#left < 0) throw new Error(`it takes more than ${this.#most} steps`);
      const made = super.evaluate(statement, environment);
      if (typeof made.value === "string" && made.value.length > MOST_LETTERS) {
        throw new Error("it writes a text without end");
      }
      return made;
    }

    #rounds({ iterable }: Statement, environment: Environment): number {
      const { value } = super.evaluate(iterable?.lhs ?? iterable, environment);
      return Array.isArray(value) ? value.length : value instanceof Map ? value.size : 0;
    }
  };
}

/** As in Python; all calls of one chat together give a bounded count. */
function boundedRange(): (start: number, stop?: number, step?: number) => number[] {
  let left = MOST_NUMBERS;
  return (start, stop, step = 1) => {
    const [from, to] = stop === undefined ? [0, start] : [start, stop];
    if (step === 0) throw new Error("range() step must not be zero");
    const count = Math.max(0, Math.ceil((to - from) / step));
    if (!(count <= left)) throw new Error(`range() gives at most ${MOST_NUMBERS} numbers in all`);
    left -= count;
    return Array.from({ length: count }, (_, index) => from + index * step);
  };
}
