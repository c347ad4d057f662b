for f in big-endian version upr; do
	tm-import "$DATA/unity/unsupported-$f.raw"
	echo "status $?"
done 2>&1 | sed "s|$DATA/||"
