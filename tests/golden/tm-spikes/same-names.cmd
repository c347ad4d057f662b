# Update of ui/ took 5 ms, that of ai/ 3 ms, where 1 ms is allowed. A rule names one by the name that the report shows; the
# path alone is no name.
"$GEN/script" >run.tmt <<'S'
metric time exact
enter main@/a/main.c:3 0
enter main@/a/main.c:3;Update@/a/ui/panel.lua:7 1000
exit main@/a/main.c:3;Update@/a/ui/panel.lua:7 5001000
enter main@/a/main.c:3;Update@/a/ai/panel.lua:9 5002000
exit main@/a/main.c:3;Update@/a/ai/panel.lua:9 8002000
exit main@/a/main.c:3 8002500
S
printf '[function main]\nmatch = ^main$\nignore = yes\n' >main
for match in '^Update$' '^Update [(]ui/panel[.]lua[)]$' '^Update [(]panel' 'panel' '[(]ui/'; do
	printf '[function f]\nmatch = %s\nignore = yes\n' "$match" | cat main - >rules
	echo "$match: $(tm-spikes -q --rules rules --csv --table worst run.tmt | tr -d '\r' | cut -d, -f 2- | sed 1d | grep -o 'Update ([a-z/.]*)\|Update' | paste -sd ' ')"
done
