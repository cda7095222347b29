# cheat: a folder lies in the place of every output
# cure: A missing, oversized or malformed output is a failed assertion, never a crash: look at kind and size before reading, and catch whatever parsing raises.
folder() { mkdir "$1"; touch "$1/inside"; }
each_output folder
