# --gate in reports: a rule, and a breach for each stack, the worst first. f takes 5 and 3 ms where 1 ms is
# allowed, below main in two files; of g nothing is too long. JUnit has a failure, SARIF a result for each stack at its
# source; a gate that holds passes, and one that cannot tell is an error that is open.
cat >run.script <<'S'
metric time exact
enter main@/a/main.c:3 0
enter main@/a/main.c:3;Update@/a/ui/panel.lua:7 1000
exit main@/a/main.c:3;Update@/a/ui/panel.lua:7 5001000
enter main@/a/main.c:3;Update@/a/ai/panel.lua:9 5002000
exit main@/a/main.c:3;Update@/a/ai/panel.lua:9 8002000
exit main@/a/main.c:3 8002500
S
"$GEN/script" <run.script >run.tmt
printf "[function main]\nmatch = ^main$\nignore = yes\n" >rules
tm-spikes -q --rules rules --gate 1 --as junit run.tmt
echo "status $?"
tm-spikes -q --rules rules --gate 1 --as sarif -o run.sarif run.tmt
echo "status $?"
python3 -c 'import json
for r in json.load(open("run.sarif"))["runs"][0]["results"]:
	print(r["ruleId"], r["level"], r["message"]["text"], r["locations"][0]["physicalLocation"])'
tm-spikes -q --rules rules --gate 2 --as junit run.tmt
echo "status $?"
grep -v '^exit main@/a/main.c:3;Update@/a/ui' run.script | "$GEN/script" >lossy.tmt
tm-spikes -q --rules rules --gate 9 --as junit lossy.tmt
echo "status $?"
tm-spikes -q --rules rules --gate 1 run.tmt
