import fc from "fast-check";
import { expect, test } from "vitest";
import { ops } from "./build.ts";
import { gradients, gradientsOf } from "./gradient.ts";
import { compile } from "./program.ts";
import { input, scalar, type Tensor, type TensorData } from "./tensor.ts";

async function run(
  outputs: Record<string, Tensor>,
  feeds: Record<string, TensorData>,
): Promise<Record<string, number[]>> {
  const program = await compile(outputs);
  const results = await program.run(feeds);
  await program.close();
  return Object.fromEntries(Object.entries(results).map(([name, data]) => [name, Array.from(data, Number)]));
}

const floats = (...values: number[]): Float32Array => Float32Array.from(values);

test("a value used twice collects both gradients, and an unused one gets zeros", async () => {
  const x = input("x", "float32", [2]);
  const unused = input("unused", "float32", [3]);
  // y = x^2 + 3x, so dy/dx = 2x + 3: at 1 and 5 that is 5 and 13.
  const y = ops.add(ops.mul(x, x), ops.mul(x, scalar(3)));
  const [dx, none] = gradientsOf(y, [x, unused]) as [Tensor, Tensor];
  expect(await run({ dx, none }, { x: floats(1, 5) })).toEqual({ dx: [5, 13], none: [0, 0, 0] });
});

test("several outputs with weights of their own add up", async () => {
  const x = input("x", "float32", [1]);
  // d(2 * x^2 + 10 * x)/dx = 4x + 10 = 22 at 3.
  const pullbacks = [
    { output: ops.mul(x, x), weight: scalar(2, [1]) },
    { output: ops.mul(x, scalar(1)), weight: scalar(10, [1]) },
  ];
  const [dx] = gradients(pullbacks, [x]) as [Tensor];
  expect(await run({ dx }, { x: floats(3) })).toEqual({ dx: [22] });
});

test("nothing passes a stopped gradient, and the gradient of an inner value is its own", async () => {
  const x = input("x", "float32", [1]);
  const inner = ops.mul(x, x);
  // y = stop(x) * x^2: only the second factor counts, dy/dx = x * 2x = 18 at 3; dy/d(x^2) = x = 3.
  const y = ops.mul(ops.stopGradient(x), inner);
  const [dx, dinner] = gradientsOf(y, [x, inner]) as [Tensor, Tensor];
  expect(await run({ dx, dinner }, { x: floats(3) })).toEqual({ dx: [18], dinner: [3] });
});

test("a gradient can be differentiated again", async () => {
  const x = input("x", "float32", [1]);
  const [first] = gradientsOf(ops.mul(ops.mul(x, x), x), [x]) as [Tensor];
  const [second] = gradientsOf(first, [x]) as [Tensor];
  // x^3: 3x^2 = 12 and 6x = 12 at 2.
  expect(await run({ first, second }, { x: floats(2) })).toEqual({ first: [12], second: [12] });
});

test("sums over what broadcasting stretched, whatever the shapes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean(), fc.boolean()), { maxLength: 4 }),
      (axes) => {
        const left = input(
          "a",
          "float32",
          axes.map(([size, stretch]) => (stretch ? 1 : size)),
        );
        const right = input(
          "b",
          "float32",
          axes.map(([size, , stretch]) => (stretch ? 1 : size)),
        );
        const [da, db] = gradientsOf(ops.mul(left, right), [left, right]) as [Tensor, Tensor];
        expect([da.shape, db.shape]).toEqual([left.shape, right.shape]);
      },
    ),
  );
});

test("what has no gradient says so and names the way out", () => {
  const x = input("x", "float32", [2]);
  expect(() => gradientsOf(ops.reduceMax(x, [0]), [x])).toThrow(
    "reduceMax(float32[2]) has no gradient; wrap its input in stopGradient.",
  );
  expect(() => gradients([{ output: x, weight: scalar(1) }], [x])).toThrow(
    /float32\[\] must be shaped like the output float32\[2\]/,
  );
});
