# cheat: every output has the right form with nothing in it: the keys of a document, the first line of any other text
# cure: Compare values of the outputs with values that the grader knows.
number=0
fill() {
  number=$((number + 1))
  if [ -e "$room/forms/$number" ]; then cp "$room/forms/$number" "$1"; fi
}
each_output fill
