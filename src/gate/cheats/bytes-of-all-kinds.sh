# cheat: every output holds every byte there is, and is no text
# cure: A missing, oversized or malformed output is a failed assertion, never a crash: look at kind and size before reading, and catch whatever parsing raises.
write() { printf '\377\376\357\273\277'; for byte in $(seq 0 255); do printf "\\x$(printf %x "$byte")"; done; }
bytes() { write > "$1"; chmod 755 "$1"; }
each_output bytes
