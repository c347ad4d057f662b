# It begins in a function that it has not entered. f is called from line 3 and calls g in the end
# (a tail call); g resumes a coroutine, which yields; an error unwinds to the protected call of
# line 4. Counts are calls: f, g, the coroutine's function and h, one each.
cat >trace-out.txt <<'X'
3 10
> my file.lua 10 20
11 1.5
T my file.lua 30 40
31 2
R 1
> co.lua 5 9
6 4e+01
Y
32 1
<
4 1
P
> h.lua 1 2
1 7
E
5 1
X
tm-dump trace-out.txt
