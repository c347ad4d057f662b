# What is wrong with the command line, or with a question, is said; status 2.
try() {
	"$@"
	echo "status $?"
}
printf 'nothing' >a.txt
try tm-view
try tm-view --query top --lines a.txt
try tm-view --mcp --listen 80 a.txt
try tm-view --rows 0 a.txt
try tm-view -q --query '' a.txt
try tm-view -q --query 'rm a' a.txt
try tm-view -q --query "top 'x" a.txt
try tm-view -q --query 'top -o x' a.txt
cp /bin/true game
try tm-view -q -e game --query 'inspect --symbol-server http://127.0.0.1:9/ game' a.txt
