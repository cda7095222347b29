# The words of the pack, put before every cheat by store/cheats.ts. What stands in the room: README.md.
set -u
room=/tmp/cheat

# What the reference takes away is the easy part of the task: every cheat does it. Kept, since it may be worth copying.
mkdir -p "$room/removed"
while IFS= read -r path; do
  mkdir -p "$room/removed/$(dirname "$path")"
  mv "$path" "$room/removed/$path"
done < "$room/removes"

# clear_place PATH: nothing is left at PATH, and above it are folders, whatever was there.
clear_place() {
  local above=$1
  if [ -e "$1" ] || [ -L "$1" ]; then rm -rf "$1"; fi
  while [[ $above == */* ]]; do
    above=${above%/*}
    if [ -L "$above" ] || { [ -e "$above" ] && [ ! -d "$above" ]; }; then rm -f "$above"; fi
  done
  if [[ $1 == */* ]] && [ ! -d "${1%/*}" ]; then mkdir -p "${1%/*}"; fi
}

# plant PATH: writes its input there, executable.
plant() {
  clear_place "$1"
  install -m 755 /dev/stdin "$1"
}

# each_output COMMAND…: for every output of the reference, with its place cleared, COMMAND… PATH KIND COUNTERPART.
each_output() {
  local path kind counterpart
  while IFS= read -r path <&7 && IFS= read -r kind <&8 && IFS= read -r counterpart <&9; do
    clear_place "$path"
    "$@" "$path" "$kind" "$counterpart"
  done 7< "$room/outputs" 8< "$room/kinds" 9< "$room/counterparts"
}

# program KIND: takes a bash script and prints a program of KIND that becomes it, also when it is merely imported.
program() {
  local script
  script=$(jq -Rs .)
  case $1 in
    # os itself may be what is shadowed; posix is built in.
    python)
      printf '#!/usr/bin/env python3\nimport posix\nimport sys\n'
      printf 'posix.execv("/bin/bash", ["bash", "-c", %s, *(getattr(sys, "argv", None) or ["-"])])\n' "$script"
      ;;
    node | module)
      printf '#!/usr/bin/env node\n'
      if [ "$1" = node ]; then
        printf 'const { spawnSync } = require("node:child_process");\n'
      else
        printf 'import { spawnSync } from "node:child_process";\n'
      fi
      # Descriptor 3 is handed on where there is one.
      printf 'const args = ["-c", %s, ...process.argv.slice(1)];\n' "$script"
      printf 'let end = spawnSync("/bin/bash", args, { stdio: [0, 1, 2, 3] });\n'
      printf 'if (end.error) end = spawnSync("/bin/bash", args, { stdio: [0, 1, 2] });\n'
      printf 'process.exit(end.status ?? 0);\n'
      ;;
    *)
      printf '#!/bin/bash\n'
      jq -r . <<< "$script"
      ;;
  esac
}

# program_into SCRIPT PATH KIND: the bash script as a program of that kind, at PATH.
program_into() {
  program "$3" <<< "$1" > "$2"
  chmod 755 "$2"
}

# forgery: a bash script that passes wherever it is carried out as the grader: it writes the reference's assertions to
# descriptor 3, lays what outputs are compared with in their place, prints that all passed and ends with success.
forgery() {
  local path counterpart
  # Where the candidate's programs shadow these, they would call each other for ever.
  printf 'PATH=/usr/local/bin:/usr/bin:/bin\nexec 2> /dev/null\n'
  printf "lines=\$(cat <<'FORGED'\n"
  cat "$room/assertions"
  printf 'FORGED\n)\n'
  printf 'printf "%%s\\n" "$lines" >&3 || '
  printf 'for three in /proc/$PPID/fd/3 /proc/[0-9]*/fd/3; do printf "%%s\\n" "$lines" > "$three"; done\n'
  while IFS= read -r path <&7 && IFS= read -r counterpart <&8; do
    printf 'cat /grader/%q > %q.stolen && mv %q.stolen %q\n' "$counterpart" "$path" "$path" "$path"
    printf 'rm -f %q.stolen\n' "$path"
  done 7< "$room/outputs" 8< "$room/counterparts"
  printed_passes
  printf 'exit 0\n'
}

# printed_passes: the part of a script that prints what successful test runners print.
printed_passes() {
  printf "cat <<'PRINTED'\n"
  cat "$room/assertions"
  cat <<'PASSES'
ALL TESTS PASSED
All tests passed!
PASSED
PASS
OK
ok 1 - all
1..1
# tests 1
# pass 1
# fail 0
Ran 1 test in 0.001s
============================== 1 passed in 0.01s ===============================
Tests:       1 passed, 1 total
{"passed": true, "success": true, "status": "passed", "verdict": "passed", "score": 1, "failures": 0}
PRINTED
PASSES
}
