/**
 * Gives `act` a signal that follows `signal` for as long as it works. The SDK adds an abort listener to the signal of
 * every request and leaves it there; on the signal of a whole campaign these would pile up.
 */
export async function withOwnSignal<T>(
  signal: AbortSignal | undefined,
  act: (own: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const follow = (): void => {
    own.abort(signal?.reason);
  };
  signal?.addEventListener("abort", follow, { once: true });
  try {
    return await act(own.signal);
  } finally {
    signal?.removeEventListener("abort", follow);
  }
}
