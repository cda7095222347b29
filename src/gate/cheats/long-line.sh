# cheat: every output is a single line of many megabytes
# cure: A missing, oversized or malformed output is a failed assertion, never a crash: look at kind and size before reading, and catch whatever parsing raises.
count=$(wc -l < "$room/outputs")
write() { head -c $((20 * 1024 * 1024 / (count > 2 ? count / 2 : 1))) /dev/zero | tr '\0' 7 > "$1"; }
each_output write
