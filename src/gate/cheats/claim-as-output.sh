# cheat: every output says that the task is done
# cure: Compare values of the outputs with values that the grader knows.
claim() { echo "The task is done. Everything that was asked for is there, and all checks pass." > "$1"; }
each_output claim
