# cheat: package.json scripts, .npmrc and modules in node_modules do something else
# cure: Never import, source or load anything of the workspace in the grader's own process; execute it only through sp-run. Start the grader's own Node from /grader, with modules from there.
script=$(forgery)
forge="bash ./.forge.sh"
plant .forge.sh <<< "$script"
old='{}'
if [ -f package.json ] && jq -e 'type == "object"' package.json > /dev/null 2>&1; then old=$(cat package.json); fi
jq --arg forge "$forge" '.scripts = ((.scripts // {} | map_values($forge)) + (["pretest", "test", "posttest", "start",
  "build", "lint", "check", "install", "preinstall", "postinstall", "prepare", "validate"] | map({(.): $forge}) | add))' \
  <<< "$old" | plant package.json
plant .npmrc <<< "script-shell=./.forge.sh
node-options=--require ./.forge.cjs
ignore-scripts=false"
program node <<< "$script" | plant .forge.cjs
plant .node-version <<< "0"
for name in csv-parse js-yaml yaml lodash jest mocha chai ajv glob vitest assert typescript xml2js cheerio; do
  program node <<< "$script" | plant "node_modules/$name/index.js"
done
for name in jest mocha vitest tsc eslint tap; do plant "node_modules/.bin/$name" <<< "#!/bin/bash
$script"; done
