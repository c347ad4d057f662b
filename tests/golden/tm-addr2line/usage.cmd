# Wrong usage, a file that is not there, no file given.
tm-addr2line --engine=none -e /dev/null 0
tm-addr2line -e
tm-addr2line --demangle=klingon 0
tm-addr2line --dem --zork
tm-addr2line 0
echo "status: $?"
tm-addr2line --version | sed 's/ [0-9].*/ N/'
