# cheat: every output is JSON of a hundred thousand levels
# cure: A missing, oversized or malformed output is a failed assertion, never a crash: look at kind and size before reading, and catch whatever parsing raises.
deep() {
  head -c 100000 /dev/zero | tr '\0' '['
  head -c 100000 /dev/zero | tr '\0' ']'
}
write() { deep > "$1"; }
each_output write
