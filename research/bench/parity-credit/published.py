"""Second step of the parity check: runs published code on the batches. Needs torch, numpy and, for MatchTIR, pot.

    python3 research/bench/parity-credit/published.py FOLDER --checkouts CHECKOUTS

CHECKOUTS holds a working tree of each public repository, by the names in the README; only single files of them are
loaded. A tree that is not there, or cannot be loaded, leaves its cases out.
"""

import argparse
import json
import sys
import traceback
from pathlib import Path

import estimators
import objectives
import torch
import trees_and_turns
from batches import Batch
from standins import StandIns, load, load_core, source

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

ESTIMATORS = estimators.CHECKOUTS | trees_and_turns.CHECKOUTS


def load_trinity(root: Path) -> dict:
    load("trinity.algorithm.utils", root / "trinity/algorithm/utils.py")
    losses = root / "trinity/algorithm/policy_loss_fn"
    return {
        "trinity_opmd": load("published_opmd", root / "trinity/algorithm/advantage_fn/opmd_advantage.py"),
        "trinity_opmd_loss": load("published_opmd_loss", losses / "opmd_policy_loss.py"),
        "trinity_dpo": load("published_dpo", losses / "dpo_loss.py"),
        "trinity_sft": load("published_sft", losses / "sft_loss.py"),
    }


def load_apo(root: Path) -> dict:
    load("verl.utils.torch_functional", root / "verl/utils/torch_functional.py")
    return {"apo": load("published_apo", root / "verl/trainer/apo/core_algos.py")}


def load_verl(root: Path) -> dict:
    core = load_core("verl", root / "verl")
    return {"verl": core, "verl_rollout": load("published_rollout", root / "verl/trainer/ppo/rollout_corr_helper.py")}


LOADERS = {
    "opid": lambda root: {
        "opid": load_core("opid", root / "verl"),
        "opid_gigpo": load("published_gigpo", root / "gigpo/core_gigpo.py"),
    },
    "hgpo": lambda root: {"hgpo": load("published_hgpo", root / "recipe/hgpo/core_hgpo.py")},
    "ragen": lambda root: {"ragen": load("published_ragen", root / "ragen/trainer/core_algos.py")},
    "verl": load_verl,
    "spear": lambda root: {"spear": load_core("spear", root / "verl/verl")},
    "dars": lambda root: {
        "dars": load_core("dars", root / "verl/verl"),
        "dars_schedule": load("published_dars_trainer", root / "verl/verl/trainer/ppo/ray_dars_trainer.py"),
    },
    "trinity": load_trinity,
    "r3l": lambda root: {
        "r3l_opmd": load("published_r3l_opmd", root / "trinity/algorithm/advantage_fn/opmd_advantage.py"),
        "r3l_grpo": load("published_r3l_grpo", root / "trinity/algorithm/advantage_fn/grpo_advantage.py"),
    },
    "matchtir": lambda root: {
        "matchtir": load_core("matchtir", root / "Code/verl"),
        "matchtir_tool": load("published_tool", root / "Code/verl/utils/reward_score/tool.py"),
    },
    "siop": lambda root: {
        "siop": load_core("siop", root / "verl"),
        "siop_rewards": load("published_siop", root / "verl/utils/siop/siop_process_reward.py"),
    },
    "infopo": lambda root: {"infopo": load_core("infopo", root / "verl")},
    "memsearcher": lambda root: {"memsearcher": load_core("memsearcher", root / "verl")},
    "tablemind": lambda root: {"tablemind": load("published_tablemind", root / "agent_r1/src/core_algos.py")},
    "treepo": lambda root: {"treepo": load_core("treepo", root / "verl")},
    "spo": lambda root: {
        "spo_tree": load("published_spo_tree", root / "src/treetune/episode_generators/tree_episode_generator.py"),
        "spo_chain": load(
            "published_spo_chain",
            root / "src/treetune/episode_generators/math_episode_generator_with_mc_advantages.py",
        ),
    },
    "branchgrpo": lambda root: {"branchgrpo": load("published_branch", root / "fastvideo/train_branchgrpo_flux.py")},
    "marti": lambda root: {"marti": load("published_marti", root / "marti/agent_workflows/ab_mcts_processor.py")},
    "rose": lambda root: {"rose": load_core("rose", root / "verl")},
    "ctpo": lambda root: {"ctpo": load_core("ctpo", root / "verl")},
    "holderpo": lambda root: {"holderpo": load_core("holderpo", root / "verl")},
    "apo": load_apo,
}


def run_estimator(modules: dict, case: dict, batches: list[dict]) -> list:
    found = []
    for entry in batches:
        batch = Batch(entry)
        if batch.mask.sum() < 2:
            found.append(None)
            continue
        advantages = ESTIMATORS[case["checkout"]](modules, case["method"], case["options"], batch)
        found.append([advantages[at, : len(row["mask"])].tolist() for at, row in enumerate(batch.rows)])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--checkouts", type=Path, required=True)
    options = parser.parse_args()
    sys.meta_path.insert(0, StandIns())
    modules, sources = {}, {}
    for name, loader in LOADERS.items():
        root = options.checkouts / name
        if not root.exists():
            continue
        try:
            modules |= loader(root)
            sources[name] = source(root)
        except Exception:
            print(f"{name} could not be loaded:", file=sys.stderr)
            traceback.print_exc()
    data = json.loads((options.folder / "batches.json").read_text())
    results = {}
    for case in [*data["cases"], *data["objectives"], *data["functions"]]:
        if case["checkout"] not in sources:
            continue
        try:
            if "objective" in case:
                results[case["name"]] = [objectives.run_objective(modules, case, one) for one in data["rows"]]
            elif "inputs" in case:
                results[case["name"]] = objectives.schedules(modules, case)
            else:
                results[case["name"]] = run_estimator(modules, case, data["batches"][case["batches"]])
        except Exception:
            print(f"{case['name']} failed:", file=sys.stderr)
            traceback.print_exc()
    report = {"sources": sources, "results": results}
    (options.folder / "published.json").write_text(json.dumps(report))
    print(f"{len(results)} cases by {len(sources)} checkouts, torch {torch.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main()
