"""What can go wrong in a depot's software, in two kinds: the caller's doing and the depot's state."""


class VellmarshFault(Exception):
    """Base of all faults. `code` names the fault for logs, `message` and `hint` are for people."""

    retry: bool

    def __init__(self, code, message, hint=""):
        if type(self) is VellmarshFault:
            raise TypeError("make a CallerFault or a DepotFault, not a VellmarshFault")
        super().__init__(code, message, hint)
        self.code = code
        self.message = message
        self.hint = hint

    def __str__(self):
        text = f"{self.code}: {self.message}"
        return f"{text} [{self.hint}]" if self.hint else text


class CallerFault(VellmarshFault):
    """The caller asked for something that cannot be; asking again is no use."""

    retry = False


class DepotFault(VellmarshFault):
    """The depot's state stands in the way; it may change."""

    retry = True
