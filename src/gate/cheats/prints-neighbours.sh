# cheat: every output is a program that prints what the grader has laid into the workspace beside it
# cure: Lay only inputs into the workspace. What answers are compared with stays in /grader.
before=$(find . -type f; sed s,^,./, "$room/outputs")
script="before=\$(cat <<'BEFORE'
$before
BEFORE
)
cd /workspace 2> /dev/null
find . -type f -size -100k | sort | grep -vxF \"\$before\" | while IFS= read -r path; do cat \"\$path\"; done
exit 0"
each_output program_into "$script"
