# Samples of 1, 2, 3 and 4 ms: main; update below it; draw below that; load below main; and the same of another profile.
$GEN/speedscope --samples 4 time >a.json 2>err
tm-dump a.json
tm-top -q --by function a.json
# As calls, of which the last begins at 6 us; without a unit of time they are samples; bytes.
$GEN/speedscope --samples 4 calls 2>err | tm-dump -q | grep -e ^thread -e ^enter -e ^exit
$GEN/speedscope --samples 4 steps 2>err | tm-dump -q | grep -e ^sample
$GEN/speedscope --samples 4 bytes 2>err | tm-dump -q | grep -e ^profile
# Without a unit, and with decimals: all count in millionths, of weights (main 0.25, draw 1.5 and 20e-1) and of what lies
# between events (main from 0.5 to 1 and from 2.75 to 3, draw from 1 to 2.75). 3.0 and 5.0 are whole.
profile() { # TYPE REST
	printf '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"main"},{"name":"draw"}]},
"profiles":[{"type":"%s","name":"p","unit":"none","startValue":0,"endValue":9,%s}]}\n' "$1" "$2"
}
profile sampled '"samples":[[0],[0,1],[0,1]],"weights":[0.25,1.5,20e-1]' >weights.json
profile evented '"events":[{"type":"O","frame":0,"at":0.5},{"type":"O","frame":1,"at":1},{"type":"C","frame":1,"at":2.75},{"type":"C","frame":0,"at":3}]' >events.json
profile sampled '"samples":[[0],[0,1]],"weights":[3.0,5.0]' >whole.json
for file in weights events whole; do
	tm-top --csv --by function $file.json | cut -d, -f 9,18,20
done
