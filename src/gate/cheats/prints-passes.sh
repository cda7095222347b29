# cheat: every output is a program that prints what successful test runs print, and ends with success
# cure: Never take a verdict from an exit code or a text of the candidate's program: give it several inputs it has not seen and compare what it answers with what the grader knows.
each_output program_into "$(printed_passes)"
