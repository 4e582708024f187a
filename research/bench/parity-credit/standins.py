"""Loads single files of checkouts. What they import but do not need here is replaced by an empty stand-in."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import subprocess
import sys
import types
from pathlib import Path
from unittest.mock import MagicMock

STANDINS = (
    *("tensordict", "transformers", "omegaconf", "flash_attn", "verl", "ray", "codetiming", "trinity", "treetune"),
    *("fastvideo", "wandb", "diffusers", "accelerate", "cv2", "datasets", "marti", "utils", "openai", "einops", "PIL", "torchvision"),
)


def is_definition(arguments: tuple, named: dict) -> bool:
    return len(arguments) == 1 and not named and (inspect.isclass(arguments[0]) or inspect.isfunction(arguments[0]))


class Anything(MagicMock):
    """A stand-in for a value; as a decorator it leaves what it decorates as it is."""

    def __call__(self, *arguments, **named):
        return arguments[0] if is_definition(arguments, named) else super().__call__(*arguments, **named)


class EmptyMeta(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name=name)

    def __getitem__(cls, _parameter):
        return cls


def empty_class(name: str) -> type:
    """A stand-in for a class: one can derive from it, make it, and decorate with it."""

    def new(cls, *arguments, **named):
        return arguments[0] if is_definition(arguments, named) else object.__new__(cls)

    return EmptyMeta(name, (), {"__new__": new, "__init__": lambda self, *arguments, **named: None})


class EmptyModule(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = empty_class(name) if name[0].isupper() and not name.isupper() else Anything(name=name)
        setattr(self, name, value)
        return value


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Any module of these packages that was not loaded from a checkout is an empty one."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in STANDINS:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = EmptyModule(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        if module.__name__ == "verl.utils.device":
            module.get_device_name = lambda: "cpu"


def load(name: str, file: Path):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    if "." in name:
        parent, _, child = name.rpartition(".")
        setattr(importlib.import_module(parent), child, module)
    return module


def load_core(name: str, root: Path):
    """`core_algos.py` of a tree that holds a version of verl, with that version's own array functions."""
    load("verl.utils.torch_functional", root / "utils/torch_functional.py")
    groupwise = root / "utils/groupwise.py"
    if groupwise.exists():
        found = load("verl.utils.groupwise", groupwise)
        utils = importlib.import_module("verl.utils")
        utils.as_torch_index, utils.group_mean_std = found.as_torch_index, found.group_mean_std
    return load(f"published_{name}", root / "trainer/ppo/core_algos.py")


def source(folder: Path) -> dict:
    """Repository and commit of a checkout; without git history, a file COMMIT holds both."""
    noted = folder / "COMMIT"
    if noted.exists():
        commit, _, repository = noted.read_text().strip().partition(" ")
        return {"repository": repository, "commit": commit}

    def git(*asked: str) -> str:
        return subprocess.run(["git", "-C", str(folder), *asked], capture_output=True, text=True, check=True).stdout

    remote = git("config", "--get", "remote.origin.url").strip().removesuffix(".git")
    return {"repository": "/".join(remote.split("/")[-2:]), "commit": git("rev-parse", "HEAD").strip()}
