"""Language models that a real llama-server loads: random weights, letters only, no end of text.

The file format is GGUF 3 (ggml docs/gguf.md). Same seed, same bytes. The tiny one has 120 KB and answers
thousands of tokens a second; a large one, of 8-bit weights, takes as long for a token as a real model, while
its vocabulary of 285 tokens leaves next to no time for sampling.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LETTERS = ("▁", *"abcdefghijklmnopqrstuvwxyz")
SPECIAL = ("<unk>", "<s>", "</s>")
ALIGNMENT = 32


def vocabulary() -> tuple[list[str], list[int]]:
    """Tokens and their types (1 ordinary, 2 unknown, 3 control, 6 byte)."""
    tokens = [*SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256)), *LETTERS]
    return tokens, [2, 3, 3, *([6] * 256), *([1] * len(LETTERS))]


@dataclass(frozen=True)
class Shape:
    """The size of a model."""

    embedding: int = 32
    feed_forward: int = 64
    heads: int = 2
    layers: int = 2
    quantised: bool = False


LARGE = Shape(embedding=1024, feed_forward=4096, heads=16, layers=12, quantised=True)
"""About 200 million weights."""

Tensor = tuple[str, tuple[int, ...], int, bytes]


def write(path: Path, context: int = 4096, seed: int = 1, shape: Shape | None = None) -> None:
    """Write a model."""
    size = shape or Shape()
    tokens, types = vocabulary()
    keys: dict[str, Any] = {
        "general.architecture": "llama",
        "general.name": "tiny",
        "llama.block_count": size.layers,
        "llama.context_length": context,
        "llama.embedding_length": size.embedding,
        "llama.feed_forward_length": size.feed_forward,
        "llama.attention.head_count": size.heads,
        "llama.attention.head_count_kv": size.heads,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": size.embedding // size.heads,
        "llama.vocab_size": len(tokens),
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [0.0] * len(tokens),
        "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
    }
    path.write_bytes(gguf(keys, list(_tensors(random.Random(seed), len(tokens), size))))


def _tensors(chance: random.Random, vocabulary_size: int, size: Shape) -> Iterator[Tensor]:
    def plain(name: str, shape: tuple[int, ...], values: list[float]) -> Tensor:
        return name, shape, 0, struct.pack(f"<{len(values)}f", *values)

    def weights(name: str, *shape: int) -> Tensor:
        count = math.prod(shape)
        return (name, shape, 8, _q8(chance, count)) if size.quantised else plain(name, shape, noise(count))

    def noise(count: int) -> list[float]:
        return [chance.gauss(0, 0.3) for _ in range(count)]

    wide, deep = size.embedding, size.feed_forward
    yield plain("token_embd.weight", (wide, vocabulary_size), noise(wide * vocabulary_size))
    silent = vocabulary_size - len(LETTERS)
    # Rows of zeros keep special and byte tokens below the letters, so that every token is a printable piece.
    yield plain("output.weight", (wide, vocabulary_size), [0.0] * (wide * silent) + noise(wide * len(LETTERS)))
    yield plain("output_norm.weight", (wide,), [1.0] * wide)
    for layer in range(size.layers):
        yield plain(f"blk.{layer}.attn_norm.weight", (wide,), [1.0] * wide)
        yield plain(f"blk.{layer}.ffn_norm.weight", (wide,), [1.0] * wide)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield weights(f"blk.{layer}.{name}.weight", wide, wide)
        for name in ("ffn_gate", "ffn_up"):
            yield weights(f"blk.{layer}.{name}.weight", wide, deep)
        yield weights(f"blk.{layer}.ffn_down.weight", deep, wide)


def _q8(chance: random.Random, count: int) -> bytes:
    """Q8_0: blocks of a half-precision scale and 32 signed bytes."""
    scale = struct.pack("<e", 0.0004)
    noise = chance.randbytes(count)
    return b"".join(scale + noise[at : at + 32] for at in range(0, count, 32))


def gguf(keys: dict[str, Any], tensors: list[Tensor]) -> bytes:
    """A GGUF 3 file."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(keys))
    head += b"".join(_text(key) + _value(value) for key, value in keys.items())
    data, at = [], 0
    for name, shape, kind, content in tensors:
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, at)
        data.append(_padded(content))
        at += len(data[-1])
    return _padded(head) + b"".join(data)


def _value(value: Any) -> bytes:
    match value:
        case bool():
            return struct.pack("<I?", 7, value)
        case int():
            return struct.pack("<II", 4, value)
        case float():
            return struct.pack("<If", 6, value)
        case str():
            return struct.pack("<I", 8) + _text(value)
        case [str(), *_]:
            return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_text(item) for item in value)
        case [float(), *_]:
            return struct.pack(f"<IIQ{len(value)}f", 9, 6, len(value), *value)
    return struct.pack(f"<IIQ{len(value)}i", 9, 5, len(value), *value)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % ALIGNMENT)


def write_encoder(path: Path, seed: int = 2) -> None:
    """Write an image encoder (--mmproj) for the tiny model: CLIP with LLaVA's projector, 2 x 2 patches an image."""
    size, patch, wide, deep, out = 32, 16, 32, 64, Shape().embedding
    keys: dict[str, Any] = {
        "general.architecture": "clip",
        "general.name": "tiny encoder",
        "clip.projector_type": "mlp",
        "clip.has_vision_encoder": True,
        "clip.use_gelu": True,
        "clip.vision.image_size": size,
        "clip.vision.patch_size": patch,
        "clip.vision.embedding_length": wide,
        "clip.vision.feed_forward_length": deep,
        "clip.vision.projection_dim": out,
        "clip.vision.block_count": 2,
        "clip.vision.attention.head_count": 2,
        "clip.vision.attention.layer_norm_epsilon": 1e-5,
        "clip.vision.image_mean": [0.5, 0.5, 0.5],
        "clip.vision.image_std": [0.5, 0.5, 0.5],
    }
    path.write_bytes(gguf(keys, list(_encoder(random.Random(seed), patch, wide, deep, out, (size // patch) ** 2))))


def _encoder(chance: random.Random, patch: int, wide: int, deep: int, out: int, patches: int) -> Iterator[Tensor]:
    def noise(name: str, *shape: int) -> Tensor:
        return (
            name,
            shape,
            0,
            struct.pack(f"<{math.prod(shape)}f", *(chance.gauss(0, 0.1) for _ in range(math.prod(shape)))),
        )

    yield noise("v.patch_embd.weight", patch, patch, 3, wide)
    yield noise("v.position_embd.weight", wide, patches)
    for layer in range(2):
        for name in ("ln1", "ln2"):
            yield f"v.blk.{layer}.{name}.weight", (wide,), 0, struct.pack(f"<{wide}f", *[1.0] * wide)
            yield noise(f"v.blk.{layer}.{name}.bias", wide)
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            yield noise(f"v.blk.{layer}.{name}.weight", wide, wide)
        yield noise(f"v.blk.{layer}.ffn_up.weight", wide, deep)
        yield noise(f"v.blk.{layer}.ffn_down.weight", deep, wide)
    yield noise("mm.0.weight", wide, out)
    yield noise("mm.0.bias", out)
    yield noise("mm.2.weight", out, out)
    yield noise("mm.2.bias", out)
