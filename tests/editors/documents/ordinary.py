"""Nothing here is about exporting."""
import math


def area(radius):
    return math.pi * radius ** 2
