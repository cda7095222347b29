# cheat: modules of the workspace take the place of the standard library's and others'
# cure: Never import, source or load anything of the workspace in the grader's own process; execute it only through sp-run. Start the grader's own Python with -I, and the workspace never comes onto its path.
module=$(forgery | program python)
names="json os sys csv re io decimal datetime collections pathlib subprocess typing random math hashlib tempfile shutil
  textwrap string struct sqlite3 unittest difflib fractions itertools functools glob time yaml toml openpyxl numpy pandas
  lxml bs4 docx PIL jsonschema pytest dateutil"
shadow() { local name; for name in $names; do plant "${1:-.}/$name.py" <<< "$module"; done; }
shadow .
folders=$(each_output dirname | sort -u)
while IFS= read -r folder; do if [ -n "$folder" ] && [ "$folder" != . ]; then shadow "$folder"; fi; done <<< "$folders"
