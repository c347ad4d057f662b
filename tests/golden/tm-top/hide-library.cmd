# grow has 100 bytes through push_back and operator new, load 50 through malloc: with library code taken out, these are
# theirs, and nothing of it is a row. 7 bytes of std::locale::locale have no other code: they are dropped, and told.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"A","s":157,"r":157,"st":["operator new(unsigned long) (in Game) (/x/new.cc:1);std::vector<int, std::allocator<int> >::push_back(int&&) (in Game) (/usr/include/c++/12/bits/stl_vector.h:9);grow() (in Game) (/a/grow.cpp:9);main (in Game) (/a/main.cpp:5);","malloc (in libc.so.6) ();load() (in Game) (/a/load.cpp:3);main (in Game) (/a/main.cpp:6);","std::locale::locale() (in Game) (/usr/include/c++/12/locale:3);"],"sz":[100,50,7]}]}
X
tm-top --by function --cumulative --metrics real run.mem
tm-top --by function --cumulative --metrics real --hide-library run.mem
tm-top --tree --hide-library run.mem
