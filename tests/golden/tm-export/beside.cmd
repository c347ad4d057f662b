# 10 ms of samples beside calls of 100 us: the profile 'time' has 10.1 ms, the profiles of calls 0.1. Who reads the file
# again takes the calls, and says that the rest is left out; where all time is of calls there is nothing to say.
cat >ss.json <<'X'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"m"},{"name":"p"}]},"profiles":[
{"type":"sampled","name":"s","unit":"milliseconds","startValue":0,"endValue":10,"samples":[[0],[0,1]],"weights":[2.5,7.5]},
{"type":"evented","name":"e","unit":"microseconds","startValue":0,"endValue":100,"events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":10},{"type":"C","frame":1,"at":40},{"type":"C","frame":0,"at":100}]}]}
X
tm-export --as speedscope ss.json -o again.json
grep -o '"weights":\[70000.*' again.json
tm-top --csv again.json | cut -d, -f 9,10
grep -v '"type":"sampled"' ss.json >calls.json
tm-export --as speedscope calls.json | tm-top --csv | cut -d, -f 9,10
