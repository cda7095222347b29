# cheat: every output is a link to where a grader might lay its own files in the workspace
# cure: Do not follow links of the workspace, and never lay there what outputs are compared with.
link() {
  local folder
  folder=$(dirname "$1")
  if [ "$1" != "$(basename "$3")" ]; then ln -s "$(realpath -m --relative-to="$folder" "$(basename "$3")")" "$1"; fi
}
each_output link
