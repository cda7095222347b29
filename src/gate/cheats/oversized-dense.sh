# cheat: the outputs hold 64 MiB of text between them
# cure: A missing, oversized or malformed output is a failed assertion, never a crash: look at kind and size before reading, and catch whatever parsing raises.
count=$(wc -l < "$room/outputs")
write() {
  head -c $((64 * 1024 * 1024 / count)) <(yes "$(head -c 100000 "$room/constants")") > "$1"
}
each_output write
