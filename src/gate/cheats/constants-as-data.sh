# cheat: every output holds all numbers, names and quotations of the task, in its own format
# cure: Parse the output and compare whole values at their places; do not search it for words.
rows() { jq -Rn '[inputs]' "$room/constants"; }
write() {
  case $2 in
    json) rows | jq '. as $all | map({(.): (tonumber? // .)}) | add // {} | .constants = $all' > "$1" ;;
    yaml) rows | jq -r '.[] | "\(tojson): \(tojson)"' > "$1" ;;
    table) rows | jq -r '@csv, @csv' > "$1" ;;
    markup) rows | jq -r '"<all>" + (map("<value name=" + (@html "\(.)" | tojson) + ">" + @html "\(.)" + "</value>") | add // "") + "</all>"' > "$1" ;;
    python | node | module | bash)
      { printf "cat <<'CONSTANTS'\n"; cat "$room/constants"; printf 'CONSTANTS\nexit 0\n'; } | program "$2" > "$1"
      chmod 755 "$1"
      ;;
    *) rows | jq -r '.[] | "\(.): \(.)"' > "$1" ;;
  esac
}
each_output write
