# cheat: a folder above every output is a link to the grader's folder
# cure: Do not follow links of the workspace: an output that is a link, or lies below one, is a failed assertion.
while IFS= read -r path; do
  top=${path%%/*}
  if [ "$top" = "$path" ]; then
    clear_place "$path"
    ln -s .g "$path"
  else
    rm -rf "$top"
    ln -s .g "$top"
  fi
done < "$room/outputs"
ln -s /grader .g
