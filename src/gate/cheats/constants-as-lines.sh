# cheat: every output holds all numbers, names and quotations of the task, one a line
# cure: Parse the output and compare whole values at their places; do not search it for words.
copy() { cp "$room/constants" "$1"; }
each_output copy
