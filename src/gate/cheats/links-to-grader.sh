# cheat: every output is a link to a file of the grader
# cure: Do not follow links of the workspace: an output that is a link, or lies below one, is a failed assertion.
link() { ln -s "/grader/$3" "$1"; }
each_output link
