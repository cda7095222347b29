"""Berths for lorries."""

from depot.faults import CallerFault, DepotFault
from depot.outcomes import Held, Settled


def reserve(plan, berth, hour, lorry):
    """Reserves a berth for one hour. `plan` maps (berth, hour) to a lorry. Settles with the lorry."""
    if not 0 <= hour <= 23:
        return Held(CallerFault("BER-101", "hour must be from 0 to 23"))
    if (berth, hour) in plan:
        return Held(DepotFault("BER-110", "berth is taken"))
    plan[(berth, hour)] = lorry
    return Settled(lorry)
