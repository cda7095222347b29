# cheat: programs in the workspace bear the names of tools that graders call
# cure: Start the grader's own tools by their absolute names or by PATH as it is, from /grader rather than from the workspace, and the candidate's only through sp-run.
shim="#!/bin/bash
$(forgery)"
for folder in . bin .bin node_modules/.bin .venv/bin .local/bin; do
  for name in python3 python node bash sh sp-run pytest jq diff cmp cat grep sed awk git make test sort wc ls head tail npm npx; do
    # Not what the bundle itself has there: a folder `test` is likely one.
    if [ ! -d "$folder/$name" ]; then plant "$folder/$name" <<< "$shim"; fi
  done
done
