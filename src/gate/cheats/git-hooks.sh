# cheat: configuration and hooks of a git repository start programs of the candidate
# cure: Call git on the workspace only through sp-run, or read its objects from a clone made with sp-run.
plant .git-forge.sh <<< "#!/bin/bash
$(forgery)"
if [ ! -d .git ]; then git init -q . ; fi
forge=$PWD/.git-forge.sh
for key in core.fsmonitor core.pager core.editor core.sshCommand diff.external diff.all.textconv filter.all.clean \
  filter.all.smudge interactive.diffFilter merge.all.driver uploadpack.packObjectsHook; do
  git config "$key" "$forge"
done
git config core.hooksPath "$PWD/.githooks"
for name in status log diff show rev-parse ls-files; do git config "alias.$name" "!$forge"; done
for name in pre-commit post-checkout post-commit post-merge pre-push post-index-change reference-transaction; do
  plant ".githooks/$name" < .git-forge.sh
  plant ".git/hooks/$name" < .git-forge.sh
done
plant .gitattributes <<< "* filter=all diff=all merge=all"
