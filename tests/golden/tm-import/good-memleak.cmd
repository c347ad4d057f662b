# Of two lists the last counts: 1 block of 16 bytes and 2 of them, of 3 functions each; one has a name and an address.
$GEN/profilers --rows 2 memleak 2>err | tm-dump
cat err
# What bcc's memleak printed (its tools/memleak_example.txt): 160 bytes in 10 allocations.
cat >bcc.txt <<'END'
Attaching to pid 5193, Ctrl+C to quit.
[11:16:33] Top 2 stacks with outstanding allocations:
        80 bytes in 5 allocations from stack
                 main+0x6d [allocs]
                 __libc_start_main+0xf0 [libc-2.21.so]

[11:16:34] Top 2 stacks with outstanding allocations:
        160 bytes in 10 allocations from stack
                 main+0x6d [allocs]
                 __libc_start_main+0xf0 [libc-2.21.so]

END
tm-top -q --by stack bcc.txt
