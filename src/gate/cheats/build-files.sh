# cheat: Makefiles and other build files of the workspace do something else
# cure: Start the grader's own tools by their absolute names or by PATH as it is, from /grader rather than from the workspace, and the candidate's only through sp-run.
script=$(forgery)
plant .forge.sh <<< "#!/bin/bash
$script"
for name in Makefile makefile GNUmakefile; do
  plant "$name" <<< ".PHONY: all test tests check lint build run validate
all test tests check lint build run validate:
	@bash ./.forge.sh"
done
for name in run_tests.sh run-tests.sh test.sh tests.sh check.sh verify.sh build.sh configure gradlew; do
  plant "$name" <<< "#!/bin/bash
$script"
done
for name in setup.py noxfile.py tasks.py manage.py; do program python <<< "$script" | plant "$name"; done
