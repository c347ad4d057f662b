# A name that has another one now is taken for one version: said once, with the value of the new one; not with -q,
# and not in --help's first screen; --by's wrong value asks for the near one.
printf 'a;b 3\na;c 1\n' >x.folded
tm-export --as folded --metric samples --metric=samples x.folded
tm-export -q --as folded --metric samples x.folded
tm-export --help | grep -c -e '--metric'
tm-export --help all | grep -e '--metric'
tm-top --by sites x.folded
tm-top --by func x.folded
tm-top --by nothing x.folded
