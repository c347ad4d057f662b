# What is left out is left out; the capture's line and the totals stay.
echo '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x20;0x10;"],"sz":[8]}]}' >run.mem
for o in --no-tables --no-events; do
	tm-dump -f memtracer --slide 0 $o run.mem
done
# Two files are two captures, each with ids of its own.
tm-dump --slide 0 --no-events run.mem run.mem | grep -c '^location 1 runtime '
