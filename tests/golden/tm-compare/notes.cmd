# Allocations against calls: one line names all that one of the two does not know.
printf 'metric count exact\nmetric requested exact\nthread Main 1\nalloc malloc main@m.c:1 5 5 - 512\n' | "$GEN/script" >blocks.tmt
printf 'metric time exact\nthread Main 1\nenter f@f.c:2 1000\nexit f@f.c:2 2000\n' | "$GEN/script" >calls.tmt
tm-compare -q --table changes --by function --sort entries blocks.tmt calls.tmt | sed 1,/all/d
