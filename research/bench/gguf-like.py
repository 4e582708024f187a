"""A GGUF file as large as another one, with its words and random weights of one kind, to measure speed with:

    python research/bench/gguf-like.py tinyllama.gguf out.gguf q8_0 [LAYERS]

Llama form alone. Weights that say nothing take as long as others; `research/bench/llama-cpp.ts` needs Q8_0 or Q4_0, which TinyLlama's file is not.
"""

import struct
import sys

import numpy as np

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
TEXT, LIST = 8, 9
KINDS = {"q8_0": (8, 34, 0.0003), "q4_0": (2, 18, 0.005)}


def skip(data, at, kind):
    """Where a value of that kind ends."""
    if kind == TEXT:
        return at + 8 + struct.unpack_from("<Q", data, at)[0]
    if kind == LIST:
        inner, count = struct.unpack_from("<IQ", data, at)
        at += 12
        if inner in SIZES:
            return at + count * SIZES[inner]
        for _ in range(count):
            at = skip(data, at, inner)
        return at
    return at + SIZES[kind]


def settings(data):
    """The bytes of all settings, and where the value of each begins in them."""
    at, places = 24, {}
    for _ in range(struct.unpack_from("<Q", data, 16)[0]):
        length = struct.unpack_from("<Q", data, at)[0]
        name = bytes(data[at + 8 : at + 8 + length]).decode()
        kind = struct.unpack_from("<I", data, at + 8 + length)[0]
        places[name] = at + 12 + length - 24
        at = skip(data, at + 12 + length, kind)
    return bytearray(data[24:at]), places


def main():
    source, out, kind = sys.argv[1:4]
    data = np.memmap(source, np.uint8, "r")
    kept, places = settings(data)
    number = lambda name: struct.unpack_from("<I", kept, places[f"llama.{name}"])[0]
    hidden, inner = number("embedding_length"), number("feed_forward_length")
    narrow = hidden // number("attention.head_count") * number("attention.head_count_kv")
    words = struct.unpack_from("<Q", kept, places["tokenizer.ggml.tokens"] + 4)[0]
    layers = int(sys.argv[4]) if len(sys.argv) > 4 else number("block_count")
    struct.pack_into("<I", kept, places["llama.block_count"], layers)
    shapes = [("token_embd", (hidden, words)), ("output", (hidden, words)), ("output_norm", (hidden,))]
    parts = [("attn_norm", (hidden,)), ("ffn_norm", (hidden,)), ("attn_q", (hidden, hidden)), ("attn_k", (hidden, narrow))]
    parts += [("attn_v", (hidden, narrow)), ("attn_output", (hidden, hidden)), ("ffn_gate", (hidden, inner))]
    parts += [("ffn_up", (hidden, inner)), ("ffn_down", (inner, hidden))]
    shapes += [(f"blk.{layer}.{name}", shape) for layer in range(layers) for name, shape in parts]

    code, block, scale = KINDS[kind]
    size = lambda shape: 4 * shape[0] if len(shape) == 1 else shape[0] * shape[1] // 32 * block
    table, offset = b"", 0
    for name, shape in shapes:
        name = f"{name}.weight".encode()
        table += struct.pack("<Q", len(name)) + name + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        table += struct.pack("<IQ", 0 if len(shape) == 1 else code, offset)
        offset += -(-size(shape) // 32) * 32
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(places)) + bytes(kept) + table

    rng = np.random.default_rng(1)
    blocks = rng.integers(0, 256, (1 << 18, block), dtype=np.uint8)
    blocks[:, :2] = np.frombuffer(np.float16(scale).tobytes(), np.uint8)
    with open(out, "wb") as file:
        file.write(head + bytes(-len(head) % 32))
        for _, shape in shapes:
            if len(shape) == 1:
                file.write(np.ones(shape[0], np.float32).tobytes())
            left, at = (0 if len(shape) == 1 else size(shape) // block), int(rng.integers(len(blocks)))
            while left > 0:
                count = min(left, len(blocks) - at)
                file.write(blocks[at : at + count].tobytes())
                left, at = left - count, 0
            file.write(bytes(-file.tell() % 32))


main()
