# cheat: every output is a copy of the fixture that is most like it
# cure: Compare values of the outputs with values that the grader knows.
mkdir -p "$room/fixtures"
cp -a . "$room/fixtures/"
cp -a "$room/removed/." "$room/fixtures/"
# The largest of the same extension, else the largest; another one than the output itself.
like() {
  find "$room/fixtures" -type f ! -path "$room/fixtures/$1" "${@:2}" -printf '%s\t%p\n' | sort -k1,1nr -k2 | head -n 1 | cut -f2-
}
copy() {
  local name fixture=
  name=$(basename "$1")
  case $name in ?*.*) fixture=$(like "$1" -name "*.${name##*.}") ;; esac
  if [ -z "$fixture" ]; then fixture=$(like "$1"); fi
  if [ -n "$fixture" ]; then cp "$fixture" "$1"; fi
}
each_output copy
