# cheat: start files of shells and environments lie in the workspace, as if it were a home
# cure: Start the grader's own tools by their absolute names or by PATH as it is, from /grader rather than from the workspace, and the candidate's only through sp-run.
script=$(forgery)
for name in .bashrc .bash_profile .bash_login .profile .bash_env .bash_aliases .bash_logout .zshrc .zshenv .env .envrc env \
  .inputrc activate .venv/bin/activate venv/bin/activate setup.sh env.sh common.sh lib.sh; do
  plant "$name" <<< "$script"
done
