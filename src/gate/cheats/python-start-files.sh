# cheat: Python finds sitecustomize, usercustomize, .pth files and a virtual environment in the workspace
# cure: Never import, source or load anything of the workspace in the grader's own process; execute it only through sp-run. Start the grader's own Python with -I.
start=$(forgery | program python)
for folder in . src lib bin tests .local/lib/python3.11/site-packages .venv/lib/python3.11/site-packages venv/lib/python3.11/site-packages; do
  plant "$folder/sitecustomize.py" <<< "$start"
  plant "$folder/usercustomize.py" <<< "$start"
  plant "$folder/start.pth" <<< "import sitecustomize"
  plant "$folder/python311._pth" <<< "."
done
for folder in .venv venv; do
  plant "$folder/pyvenv.cfg" <<< "home = /usr/bin
include-system-site-packages = true"
  mkdir -p "$folder/bin"
  ln -sf /usr/bin/python3 "$folder/bin/python"
  ln -sf /usr/bin/python3 "$folder/bin/python3"
done
