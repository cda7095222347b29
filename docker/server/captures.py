"""What is kept of a stream that may be endless."""

PIECE = 1 << 18


class Capture:
    """Head and tail of one stream, half of the limit each; the rest is only counted."""

    def __init__(self, limit):
        self.head_limit, self.tail_limit = limit - limit // 2, limit // 2
        self.head, self.tail, self.total = bytearray(), bytearray(), 0

    def add(self, data):
        self.total += len(data)
        room = self.head_limit - len(self.head)
        self.head += data[:room]
        self.tail += data[room:]
        if len(self.tail) > 2 * self.tail_limit + PIECE:
            self.trim()

    def trim(self):
        del self.tail[: max(0, len(self.tail) - self.tail_limit)]
