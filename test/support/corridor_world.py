"""A tiny world in Python that needs no package: a corridor, and every way in which a world can go wrong."""

import os
import random
import sys
import time


class Corridor:
    def __init__(self, rooms=4, broken=""):
        self.rooms = rooms
        self.broken = broken

    def reset(self, seed=None):
        print("a world may print")
        self.room = 1
        self.color = random.Random(seed).choice(["red", "blue", "green"])
        return self.text(), self.info()

    def text(self):
        return f"Room {self.room}. The goal is {self.color}."

    def info(self):
        ways = ["go east"] if self.room == 1 else ["go east", "go west"]
        return {"admissible": ways}

    def step(self, action):
        if action == "go east" and self.broken:
            self.go_wrong()
        valid = action in self.info()["admissible"]
        if valid:
            self.room += 1 if action == "go east" else -1
        won = self.room == self.rooms
        info = {**self.info(), "valid": valid, "success": won}
        text = self.text()
        if self.broken == "random":
            text += f" {os.urandom(8).hex()}"
        return text, 1.0 if won else 0.0, won, False, info

    def go_wrong(self):
        if self.broken == "raises":
            raise ValueError("the floor gave way")
        if self.broken == "exits":
            sys.exit(3)
        if self.broken == "dies":
            sys.stderr.write("out of memory\n")
            os._exit(9)
        if self.broken == "hangs":
            time.sleep(3600)


def make(**arguments):
    return Corridor(**arguments)


def not_a_world():
    return object()


class Lights:
    """A world whose actions are numbers, in the older form of four values."""

    class action_space:
        n = 3

    def reset(self, seed=None):
        self.on = []
        return {"on": self.on}

    def step(self, action):
        self.on = self.on + [action]
        return {"on": self.on}, 0.5, len(self.on) == 2, {}
