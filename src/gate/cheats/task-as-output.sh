# cheat: every output is the text of the task
# cure: Compare values of the outputs with values that the grader knows.
copy() { cp "$room/task.md" "$1"; }
each_output copy
