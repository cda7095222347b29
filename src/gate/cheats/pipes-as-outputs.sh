# cheat: a named pipe lies in the place of every output
# cure: A missing, oversized or malformed output is a failed assertion, never a crash: look at kind and size before reading, and catch whatever parsing raises.
pipe() { mkfifo "$1"; }
each_output pipe
