# Calls of a crash report of macOS are like Unreal's: a module, a base that is a multiple of 64 KiB, " + " and digits, which are
# decimal here. Without the file they stay. The message of a program that reads captures names the one that reads such a file.
cat >report.crash <<'END'
Process:               MyGame [1234]
Identifier:            com.example.mygame
Code Type:             ARM-64 (Native)

Thread 0 Crashed:
0   MyGame                        	0x00000001027b1a2c 0x1027a0000 + 72236
1   MyGame                        	0x00000001027b1b00 main + 44 (main.m:16)

Binary Images:
       0x1027a0000 -        0x1027affff MyGame arm64  <0123456789abcdef0123456789abcdef> /Applications/MyGame
END
tm-symbolize --text report.crash | cmp - report.crash
tm-symbolize --text - <report.crash | cmp - report.crash
tm-top report.crash
tail -n +5 report.crash | tm-top
printf '{"app_name":"MyGame","bug_type":"309"}\n{}\n' >report.ips
tm-symbolize --text report.ips >/dev/null
