"""Calls the candidate's package and prints what came back, as one line of JSON. Comes to Python on standard input."""

import json
import os
import sys

# What the package itself prints must not mix with the answer.
answer = os.dup(1)
os.dup2(2, 1)
sys.path.insert(0, os.getcwd())
sys.dont_write_bytecode = True


def told(value):
    """An outcome, a fault or a plain value, as plain data."""
    kind = type(value).__name__
    if kind in ("Settled", "Held"):
        home = [kind, type(value).__module__]
        return [*home, value.is_settled, told(value.value if kind == "Settled" else value.fault)]
    if isinstance(value, Exception):
        home = [kind, type(value).__module__]
        return [*home, value.code, value.message, value.hint, value.retry, str(value)]
    return value if isinstance(value, (str, int, bool, list, type(None))) else repr(value)


def attempt(probe):
    try:
        return told(probe())
    except Exception as error:
        return ["raised", type(error).__name__]


def store():
    from depot.stock import Stock

    made = Stock(capacity=2)
    made.bays = {"east": ["a1", "a2"], "west": ["a3"], "yard": []}
    made.contents = {"a1": 9, "a2": 30, "a3": 4, "a4": 1}
    return made


def stock_probes():
    from depot import stock

    def after(act, look):
        made = store()
        act(made)
        return look(made)

    yield "place settles", lambda: stock.place(store(), "a4", "west")
    yield "place changes the bay", lambda: after(lambda s: stock.place(s, "a4", "west"), lambda s: s.bays["west"])
    yield "place unknown crate", lambda: stock.place(store(), "b1", "west")
    yield "place unknown bay", lambda: stock.place(store(), "a4", "roof")
    yield "place full bay", lambda: stock.place(store(), "a4", "east")
    yield "withdraw settles", lambda: stock.withdraw(store(), "a1", 8)
    yield "withdraw to zero", lambda: stock.withdraw(store(), "a3", 4)
    yield "withdraw unknown crate", lambda: stock.withdraw(store(), "b1", 0)
    yield "withdraw bad quantity", lambda: stock.withdraw(store(), "a1", 0)
    yield "withdraw too much", lambda: stock.withdraw(store(), "a1", 10)
    yield "withdraw leaves a refused crate", lambda: after(
        lambda s: stock.withdraw(s, "a1", 10), lambda s: s.contents["a1"]
    )
    yield "move settles", lambda: stock.move(store(), "a1", "yard")
    yield "move clears the old bay", lambda: after(lambda s: stock.move(s, "a1", "yard"), lambda s: s.bays["east"])
    yield "move full bay", lambda: stock.move(store(), "a3", "east")
    yield "move leaves a refused crate", lambda: after(lambda s: stock.move(s, "a3", "east"), lambda s: s.bays["west"])
    yield "move unknown bay", lambda: stock.move(store(), "a3", "roof")


def berth_probes():
    from depot import berths

    yield "reserve settles", lambda: berths.reserve({}, 4, 0, "VM 31")
    yield "reserve late hour", lambda: berths.reserve({}, 4, 24, "VM 31")
    yield "reserve taken", lambda: berths.reserve({(4, 7): "VM 2"}, 4, 7, "VM 31")


def fault_probes():
    from depot.faults import CallerFault, DepotFault, VellmarshFault

    yield "fault without hint", lambda: CallerFault("PAL-104", "no such pallet")
    yield "fault with hint", lambda: DepotFault("PAL-110", "gate is shut", hint="ring the bell")
    yield "fault by position", lambda: DepotFault("PAL-110", "gate is shut", "ring the bell").hint
    yield "base cannot be made", lambda: VellmarshFault("PAL-104", "no such pallet")
    yield "faults derive from the base", lambda: [
        issubclass(VellmarshFault, Exception),
        issubclass(CallerFault, VellmarshFault),
        issubclass(DepotFault, VellmarshFault),
        issubclass(CallerFault, DepotFault),
    ]
    yield "retry belongs to the class", lambda: [CallerFault.retry, DepotFault.retry]


def outcome_probes():
    from dataclasses import FrozenInstanceError, fields

    from depot.faults import CallerFault
    from depot.outcomes import Held, Settled

    fault = CallerFault("PAL-104", "no such pallet")
    held = Held(fault)

    def frozen(outcome, name):
        try:
            setattr(outcome, name, 0)
        except FrozenInstanceError:
            return True
        return False

    yield "take of settled", lambda: Settled(12).take()
    yield "take of held", lambda: held.take()
    yield "then of settled", lambda: Settled(12).then(lambda value: Settled(value + 1))
    yield "then of settled to held", lambda: Settled(12).then(lambda _: held) is held
    yield "then of held", lambda: held.then(lambda _: Settled(1)) is held
    yield "or_else of settled", lambda: Settled(0).or_else(5)
    yield "or_else of held", lambda: held.or_else(5)
    yield "is_settled is a property", lambda: [Settled(None).is_settled, held.is_settled]
    yield "fields", lambda: [[field.name for field in fields(Settled)], [field.name for field in fields(Held)]]
    yield "frozen", lambda: [frozen(Settled(1), "value"), frozen(Held(fault), "fault")]
    yield "equal by value", lambda: [Settled(3) == Settled(3), Settled(3) == Settled(4)]


def page_probes():
    from depot.page import berth_line, move_lines, withdrawal_line

    yield "page withdrawals", lambda: [
        withdrawal_line(store(), "a2", 11),
        withdrawal_line(store(), "a3", 4),
        withdrawal_line(store(), "a3", 5),
        withdrawal_line(store(), "b1", 1),
        withdrawal_line(store(), "a3", 0),
    ]
    yield "page berths", lambda: [
        berth_line({}, 1, 5, "VM 8"),
        berth_line({(1, 5): "VM 3"}, 1, 5, "VM 8"),
        berth_line({}, 1, -1, "VM 8"),
    ]
    yield "page moves", lambda: move_lines(store(), [("a1", "west"), ("a4", "west"), ("a2", "roof"), ("b1", "yard")])


answers = {}
for probes in (stock_probes, berth_probes, fault_probes, outcome_probes, page_probes):
    try:
        for name, probe in probes():
            answers[name] = attempt(probe)
    except Exception as error:
        print(f"{probes.__name__}: {error!r}", file=sys.stderr)

os.write(answer, (json.dumps(answers) + "\n").encode())
os._exit(0)
