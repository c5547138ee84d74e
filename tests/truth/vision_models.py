"""Writes what torchvision's classifiers are: their heads, what these are given, and the image that a ViT takes.

    python3 vision_models.py >vision_models.jsonl

Each model is made without weights, if it can be on the "meta" device, where it takes no memory.
"""
import inspect
import json

import torch
import torchvision

HEADS = ("fc", "classifier", "head", "heads")
OTHERS = ("squeezenet", "maxvit")  # Whose heads are more than layers of torch.nn.Linear one after the other.


def layers(head):
    """Places of the Linear layers in a head, and what each is given."""
    if isinstance(head, torch.nn.Linear):
        return [[None, head.in_features]]
    return [[i, layer.in_features] for i, layer in enumerate(head.children()) if isinstance(layer, torch.nn.Linear)]


def make(name):
    try:
        with torch.device("meta"):
            return getattr(torchvision.models, name)(weights=None)
    except NotImplementedError:  # What fills its weights by itself.
        return getattr(torchvision.models, name)(weights=None)


def describe(name):
    model = make(name)
    heads = [member for member in HEADS if isinstance(getattr(model, member, None), torch.nn.Module)]
    members = [member for member in ("features", "layer4") if hasattr(model, member)]
    return {"name": name, "heads": heads, "layers": layers(getattr(model, heads[0])), "members": members,
            "size": getattr(model, "image_size", 0), "aux": bool(getattr(model, "aux_logits", False))}


def main():
    for name in sorted(vars(torchvision.models)):
        function = getattr(torchvision.models, name)
        is_model = inspect.isfunction(function) and "weights" in inspect.signature(function).parameters
        if is_model and not name.startswith(OTHERS):
            print(json.dumps(describe(name)))


main()
