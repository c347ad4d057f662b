# Four frames; 3 repeats and 2 goes back. Real is 64+24, 16, 0, 160 in 4, 1, 0, 1 entries, requested
# 30+8, 5, 0, 150; slack is the difference. The median of real (nearest rank) is 16, its deviations
# are 0, 16, 72, 144: MAD 16, so 3mad is 64 and 2x is 32.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"String","s":30,"r":64,"st":["0x1010;0x2020;","0x1030;0x2020;","0x1010;0x2020;"],"sz":[16,16,32]},{"t":"Node[]","s":8,"r":24,"st":["0x3030;"],"sz":[24]}]}
{"f":3,"d":[{"t":"String","s":5,"r":16,"st":["0x1030;0x2020;"],"sz":[16]}]}
{"f":3,"d":[]}
{"f":2,"d":[{"t":"List","s":150,"r":160,"st":["0x4040;"],"sz":[160]}]}
X
tm-frames --slide 0 --spike 3mad --spike 2x --spike 'requested>100' --new-stacks run.mem
# Of what is sorted by: requested has 150 > 149 and not 150 > 155, where real has 160; entries have 4 > 2 x 1.
tm-frames --slide 0 --sort requested --spike 149 --table spikes run.mem
tm-frames --slide 0 --sort requested --spike 155 --table spikes run.mem
tm-frames --slide 0 --sort entries --spike 2x --table spikes --csv run.mem
tm-frames --slide 0 --csv <run.mem
tm-frames --slide 0 --sort requested -n 2 --table frames --tops 1 --by type run.mem
tm-frames --slide 0 --by type run.mem
tm-frames --slide 0 --by function -n 1 --sort entries --as tsv run.mem
tm-frames --slide 0 --frame 1 run.mem
tm-frames --slide 0 --frame 2..3 --focus 0x1030 --table frames run.mem
tm-frames --slide 0 --detail --show-stacks 1 -n 1 --csv run.mem
# Real bytes of a frame and the limit look alike in KiB with one decimal: 3008 / 1024 = 2.94 and 3000 / 1024 = 2.93.
echo '{"f":1,"d":[{"t":"String","s":3008,"r":3008,"st":["0x1010;"],"sz":[3008]}]}' >near.mem
tm-frames --slide 0 --spike 'real>3000' --table spikes near.mem
