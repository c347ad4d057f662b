# Ten samples of two threads, two of them external; one allocation; a pause of 3 ms with a collection of 2 ms in it.
$GEN/nettrace --samples 10 plain 2>err | tm-dump
cmp <($GEN/nettrace --samples 60 plain 2>err | tm-dump) <($GEN/nettrace --samples 60 wide 2>err | tm-dump) && echo wide is plain
