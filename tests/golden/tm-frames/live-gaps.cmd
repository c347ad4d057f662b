# 20 steps of 1 us, of which 3 have events: 100 B are live in the first, 1100 B in the next 18, 100 B in the last. The mean is
# (100 + 18 * 1100 + 100) / 20 = 1000 B, the median 1100 B, and none is above one and a half times that. Of what is allocated
# 17 steps have nothing: 1100 / 20 = 55 B.
"$GEN/script" >a.tmt <<'X'
metric count exact
metric requested exact
metric live exact
alloc malloc m;f@f.c:1 100 500 - 1
alloc malloc m;f@f.c:1 1000 1500 - 2
free 2 19500
X
tm-frames -q --every 1us --table statistics --as json a.tmt | jq -c ".sections[0].rows[] | [.statistic, .requested, .live_requested]"
tm-frames -q --every 1us --spike 1.5x --sort live-requested --table spikes a.tmt
tm-frames -q --every 1us --spike 1mad --sort live-requested --table spikes a.tmt
