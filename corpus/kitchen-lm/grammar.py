"""Recipes of a toy kitchen: every line names ingredients, then tells what to do with them."""
import numpy as np

MEALS = ["soup", "stew", "salad", "pie", "curry"]
INGREDIENTS = {
    "soup": ["leek", "carrot", "potato", "celery"],
    "stew": ["beef", "onion", "potato", "carrot"],
    "salad": ["lettuce", "tomato", "cucumber", "onion"],
    "pie": ["flour", "apple", "butter", "sugar"],
    "curry": ["chickpea", "coconut", "onion", "ginger"],
}
FIRST = {"soup": "chop", "stew": "cut", "salad": "wash", "pie": "knead", "curry": "fry"}
LAST = {"soup": "simmer", "stew": "braise", "salad": "toss", "pie": "bake", "curry": "boil"}
AMOUNTS = ["one", "two", "three", "some"]
SPECIAL = ["<pad>", "<bos>", "<eos>"]


def vocabulary():
    words = {"take", "all", "then", "and", "serve", *MEALS, *AMOUNTS, *FIRST.values(), *LAST.values()}
    for names in INGREDIENTS.values():
        words.update(names)
    return SPECIAL + sorted(words)


def recipe(rng):
    meal = MEALS[rng.integers(len(MEALS))]
    chosen = rng.permutation(INGREDIENTS[meal])[: rng.integers(2, 4)]
    words = ["<bos>", meal]
    for name in chosen:
        words += ["take", AMOUNTS[rng.integers(len(AMOUNTS))], name]
    words += [FIRST[meal], "all", "then", LAST[meal], "and", "serve", "<eos>"]
    return words


def entropy():
    """Nats a recipe cannot do without: the meal, how many ingredients, which ones, how much of each."""
    two = np.log(4 * 3) + 2 * np.log(4)
    three = np.log(4 * 3 * 2) + 3 * np.log(4)
    return np.log(5) + np.log(2) + 0.5 * (two + three)
