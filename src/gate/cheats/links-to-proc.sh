# cheat: every output is a link through /proc to a file of the grader
# cure: Do not follow links of the workspace: an output that is a link, or lies below one, is a failed assertion.
link() { ln -s "/proc/self/root/grader/$3" "$1"; }
each_output link
ln -s /proc/self/fd/3 assertions
