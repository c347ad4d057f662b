# Both forms of PET's logs (tracemill-pet(5)) among other lines of a game: addresses with names (an
# en dash, no name, "???", a blank), functions with file and line, descriptions, short entries with
# their callers, messages, PEAK, blank times and numbers, two threads, CRLF, parts on other lines.
printf '%s\r\n' '[0.1] a line of the game' \
	'PET: Function took too long: 16.58 MSec Thread: Main Thread PEAK frame 2323' \
	'Function Name Trace' \
	' 0) 0x82449eb4 - main' \
	' 1) 0x824499c8 – Guarded::Main' \
	' 2) 0x824499d0 - ???' \
	' 3) 0x824499e0' \
	' 4) 0x82449AF0 - operator()(int, char)' \
	'another line' \
	'PET: Thread (Main Thread) Function took too long: 17.000001 MSec' \
	' 1) 0x824499c8 - Guarded::Main' \
	'!!!!!' \
	'!!!!! Slow call takes 18 ms' \
	'!!!!! really' \
	'PET: Thread (Main Thread) Function took too long: MSec' \
	' 0) 0x82449eb4 - main' >run.log
cat >>run.log <<'X'
PET: Function took too long: 2 MSec
Thread: Audio
frame 2324
Function Name Trace
0) Tick (sound (old)/mix.cpp - LINE: 499)
1) Tick (ScriptCore.cpp – LINE: )
Description: voice 7
2) Step (ScriptCore.cpp - LINE: 440) Script function: x
PET: Thread (Audio) Function took too long: 3 MSec
1) Tick (ScriptCore.cpp - LINE: )
PET: Thread (Audio) Function took too long: 4 MSec
PET: Function took too long: x MSec Thread: PEAK frame
Function Name Trace
0)
!!!!! of nobody
X
tm-import run.log | tm-dump
# Without line ends, as transcripts have it.
tr -d '\r' <run.log | tr '\n' ' ' | tm-import -q | tm-dump --no-tables | grep -c '^sample'
