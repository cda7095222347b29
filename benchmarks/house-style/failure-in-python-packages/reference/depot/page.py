"""The page that the foreman prints at the end of a shift."""

from depot import berths, stock


def withdrawal_line(store, crate, quantity):
    return f"{crate}: {told(stock.withdraw(store, crate, quantity), '{} left')}"


def berth_line(plan, berth, hour, lorry):
    return f"berth {berth} at {hour}: {told(berths.reserve(plan, berth, hour, lorry), '{}')}"


def move_lines(store, moves):
    """One line per move; the crates of a bay are counted after each."""
    return [f"{crate} to {bay}: {told(stock.move(store, crate, bay), '{} in the bay')}" for crate, bay in moves]


def told(outcome, words):
    """The value in `words`, or why there is none. The page is the outermost caller, so it looks into outcomes."""
    if outcome.is_settled:
        return words.format(outcome.take())
    return f"refused, {outcome.fault.message}"
