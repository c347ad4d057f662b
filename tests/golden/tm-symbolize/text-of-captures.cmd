# A log has no capture to be read: an option for reading captures is refused, not ignored.
for option in '-f trace' '--slide 0x10' '--locations exact' '--offsets vaddr'; do
	echo x | tm-symbolize --text $option
	echo "status: $?"
done
