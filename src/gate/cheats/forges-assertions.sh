# cheat: every output is a program that writes the grader's assertions, wherever it is executed or imported
# cure: Never import, source or load anything of the workspace in the grader's own process; execute it only through sp-run.
each_output program_into "$(forgery)"
