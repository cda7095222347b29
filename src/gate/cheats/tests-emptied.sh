# cheat: every test among the fixtures is made to pass
# cure: Bring tests of your own from /grader, and compare the fixtures' tests with a copy there before they count.
empty() {
  clear_place "$1"
  case $1 in
    *.py) printf 'def test_all():\n    assert True\n' > "$1" ;;
    *.js | *.cjs | *.mjs | *.ts) printf 'console.log("ok 1 - all");\n' > "$1" ;;
    *) printf '#!/bin/bash\nexit 0\n' > "$1" ;;
  esac
  chmod 755 "$1"
}
find . -path ./.git -prune -o -type f -regextype posix-extended \
  -iregex '.*/(tests?|specs?|__tests__)/[^/]*|.*/[^/]*([._-]|^)(tests?|spec)[._-][^/]*|.*/test[^/]*' -print0 |
  while IFS= read -r -d '' path; do empty "${path#./}"; done
