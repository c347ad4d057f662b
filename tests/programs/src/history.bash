# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# history.bash GIT...: a repository of twenty commits made, walked, packed and cloned by that git.
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
git init -q -b main repo && cd repo || exit 1
for i in {1..20}; do
	seq "$i" $((i * 50)) >"file.$((i % 5))"
	git add .
	git commit -q -m "commit $i"
done
"$@" log --stat || exit
"$@" gc -q || exit
"$@" clone -q . ../clone || exit
"$@" diff HEAD~10 || exit
"$@" fsck
