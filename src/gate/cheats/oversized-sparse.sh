# cheat: every output has two gigabytes, all of them a hole
# cure: A missing, oversized or malformed output is a failed assertion, never a crash: look at kind and size before reading, and catch whatever parsing raises.
each_output truncate -s 2G
