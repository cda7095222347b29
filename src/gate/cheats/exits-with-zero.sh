# cheat: every output is a program that ends with success at once, also when it is imported
# cure: Never take a verdict from an exit code or a text of the candidate's program: give it several inputs it has not seen and compare what it answers with what the grader knows.
each_output program_into "exit 0"
