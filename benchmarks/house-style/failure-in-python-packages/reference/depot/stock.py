"""Crates and the bays they stand in. Every function that can fail returns an outcome."""

from depot.faults import CallerFault, DepotFault
from depot.outcomes import Held, Settled


class Stock:
    """What stands where: `bays` maps a bay to the crates in it, `contents` a crate to its pieces of fruit."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.bays = {}
        self.contents = {}


def place(stock, crate, bay):
    """Puts a crate into a bay. Settles with the number of crates in that bay, the new one included."""
    if crate not in stock.contents:
        return Held(CallerFault("STO-102", "no such crate"))
    if bay not in stock.bays:
        return Held(CallerFault("STO-105", "no such bay"))
    if len(stock.bays[bay]) >= stock.capacity:
        return Held(DepotFault("STO-111", "bay is full"))
    stock.bays[bay].append(crate)
    return Settled(len(stock.bays[bay]))


def withdraw(stock, crate, quantity):
    """Takes pieces out of a crate. Settles with how many are left in it."""
    if crate not in stock.contents:
        return Held(CallerFault("STO-102", "no such crate"))
    if quantity < 1:
        return Held(CallerFault("STO-103", "quantity must be at least one"))
    if stock.contents[crate] < quantity:
        return Held(DepotFault("STO-112", "not enough in the crate"))
    stock.contents[crate] -= quantity
    return Settled(stock.contents[crate])


def move(stock, crate, bay):
    """Moves a crate from the bay it stands in to another. Settles with the number of crates in the new bay."""
    standing = [name for name, crates in stock.bays.items() if crate in crates]

    def clear(_):
        for name in standing:
            stock.bays[name].remove(crate)
        return Settled(len(stock.bays[bay]))

    return place(stock, crate, bay).then(clear)
