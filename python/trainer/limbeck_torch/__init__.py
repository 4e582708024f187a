"""The Tinker protocol on PyTorch: one base model, many models that learn from it, samples for all of them."""

VERSION = "0.1.0"
