# Two leaks of 32 bytes, of which the second holds a block of 16; the fields that lead back are none.
$GEN/profilers --rows 2 leaks 2>err | tm-dump
cat err
# With stacks, which are those of the leaks and not of what they hold; and as macOS 10.14 printed it.
$GEN/profilers --rows 2 leaks-stacks 2>err | tm-dump | grep -v ^counter
$GEN/profilers --rows 2 leaks-3.0 2>err | tm-dump | grep -v ^counter
# What leaks of Xcode 11.3 printed (wazuh/wazuh, pull request 6493): 13 leaks for 1488 bytes.
cat >w.txt <<'END'
leaks Report Version: 4.0
Process 48286: 569 nodes malloced for 61 KB
Process 48286: 13 leaks for 1488 total leaked bytes.

    13 (1.45K) << TOTAL >>

      6 (816 bytes) ROOT LEAK: 0x7f9326e00560 [256]
         1 (112 bytes) 0x7f9326d00480 [112]
         1 (112 bytes) 0x7f9326d00530 [112]
         1 (112 bytes) 0x7f9326d005e0 [112]
         1 (112 bytes) 0x7f9326e00180 [112]
         1 (112 bytes) 0x7f9326e004f0 [112]

      6 (576 bytes) ROOT LEAK: 0x7f9326e003f0 [256]
         1 (64 bytes) 0x7f9326d00440 [64]
         1 (64 bytes) 0x7f9326d004f0 [64]
         1 (64 bytes) 0x7f9326d005a0 [64]
         1 (64 bytes) 0x7f9326e00140 [64]
         1 (64 bytes) 0x7f9326e003b0 [64]

      1 (96 bytes) ROOT LEAK: 0x7f9326e00000 [96]
END
tm-top -q --by type --csv w.txt
