# PresentMon 1: two processes, each a capture. Frame 1 takes 16.6 ms and ends at 0.0166 s. The last row is of the other process.
$GEN/table -n 10 presentmon | tm-dump | grep -e ^attribute -e ^frame -e '^counter value' | head -n 24
# PresentMon 2: it begins at 1.5 ms; NA is no reading. 9 readings of AnimationError are of 18 rows.
$GEN/table -n 18 presentmon2 | tm-dump | grep -e '^frame value=[12] ' -e AnimationError -e '^totals'
# Unreal: two columns appear with row 101, whose names stand at the end.
$GEN/table -n 200 unreal | tm-dump | grep -e ^attribute -e ^log -e 'frame value=1[15]1 ' -e Fog -e LLM
# MangoHud: rows that are frames, and readings at an interval.
$GEN/table -n 50 mangohud | tm-import -v 2>&1 >/dev/null | grep -v sandbox
$GEN/table -n 50 readings | tm-import -v 2>&1 >/dev/null | grep -v sandbox
# Android's framestats: of 10 rows two do not count; HandleInputStart is 250 us behind the begin, FrameCompleted 16.6 ms.
$GEN/table -n 10 framestats | tm-dump | grep -e ^note -e ^totals -e '^frame value=[12] ' -e HandleInput -e FrameCompleted -e 'time=0 type=[3-6]'
# PerfDog: readings of a second.
$GEN/table -n 8 perfdog | tm-dump | grep -e '^log' -e '^totals' -e '°C'
# Frames in the platform's words: of 100 frames the 50th and 100th take 130.25 ms, the 99th 90 ms.
$GEN/table -n 100 mangohud | tm-frames -q --table pacing --csv | cut -d, -f 2-9,12-17
# Any table, and the unit of a counter in the words.
printf 'T;dt;scene;load\n0,5;16,7;;1,25\n0,6;33,4;boss;2\n' |
	tm-import --columns 'time=T:s,duration=dt:ms,events=scene,counter=load:%' | tm-dump --no-tables
# CapFrameX: frames of 16.6, 16.7 .. ms, of which the first ends at 0; readings at 0, 0.25 .. s. A time that is 0 in each
# frame is none. In the second run they are those of an older version.
$GEN/table -n 12 capframex >c.json 2>err
tm-dump c.json | grep -v -e '^counter value' -e '^frame value=[3-9] '
tm-dump c.json | grep -c '^counter value'
tm-dump --no-tables c.json | grep -e 'time=0' -e 'time=250000000'
tracemill show c.json | head -n 5
